/** What a user may publish to and subscribe to; subjects, wildcards allowed. Empty: nothing. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer each request that it received, once, within two minutes. */
  readonly allowResponses?: boolean;
}

/** One login of the server. A password lies in the written file as it is: that must be readable by its owner only. */
export interface NatsUser extends NatsLogin {
  readonly password: string;
}

/** A login whose password may be left to the server's environment. */
export interface NatsLogin {
  readonly name: string;
  /** The text, or the environment variable that holds it; one that begins with a digit would be read as a number there. */
  readonly password: NatsSetting;
  /** Absent: everything. For tests and administration; services always have theirs. */
  readonly permissions?: NatsPermissions;
  /** In an account of its own, beside that of the streams: it reaches and is reached by {@link NatsCrossings} alone. */
  readonly apart?: boolean;
}

/** What passes between the account of the streams and the one of users that are set apart. */
export interface NatsCrossings {
  /** Subjects on which those set apart may ask. */
  readonly ask: readonly NatsCrossing[];
  /** The same, where more than one answer comes. */
  readonly pull: readonly NatsCrossing[];
  /** Subjects on which those set apart are asked. */
  readonly answer: readonly NatsCrossing[];
}
export interface NatsCrossing {
  readonly subject: string;
  /** What it is called on the other side. Absent: the same. */
  readonly as?: string;
}

/** A text, or the environment variable of the server that holds it. */
export type NatsSetting = string | { readonly variable: string };

/** A server's place in a cluster. Clients are told every server's address themselves: the servers tell them none. */
export interface NatsCluster {
  /** The same on every server. */
  readonly name: string;
  /** `host:port` on which the other servers reach this one. */
  readonly listen: string;
  /** With which servers know each other: whoever has it may speak for every user. */
  readonly login: { readonly name: string; readonly password: NatsSetting };
  /** Every server, this one too: {@link natsRoute}, or a variable that holds the whole of it. */
  readonly routes: readonly NatsSetting[];
}

/** `nats-route://name:password@host:port`: how a server is reached by the others. */
export const natsRoute = (
  login: { readonly name: string; readonly password: string },
  address: string,
): string =>
  `nats-route://${encodeURIComponent(login.name)}:${encodeURIComponent(login.password)}@${address}`;

/** What the configuration file of a nats-server says. */
export interface NatsConfig {
  /** In a cluster: another one on each server, and the same after every restart. */
  readonly serverName: NatsSetting;
  readonly host: string;
  readonly port: number;
  readonly storeFolder: string;
  /** Sync each write to disk before it is acknowledged. Servers before 2.10 refuse the word. */
  readonly syncAlways: boolean;
  /** None: anybody may connect and do anything. */
  readonly users: readonly NatsLogin[];
  /** Of those users who are set apart. */
  readonly crossings?: NatsCrossings;
  /** `host:port` of the server's own health and figures, over HTTP and without a login. Absent: none. */
  readonly monitor?: string;
  /** Absent: a server by itself. */
  readonly cluster?: NatsCluster;
}

/** The largest message. Source: the protocol's largest commit is 768 KiB; this is the servers' own default, said aloud. */
export const NATS_MAX_PAYLOAD_BYTES = 1_048_576;

/**
 * How long the broker waits for a login, where its own default is 2 s: a process on a busy machine takes longer, and would
 * be refused as one with a wrong password is.
 */
const LOGIN_TIMEOUT_SECONDS = 30;

/**
 * A client that leaves two probes in a row without an answer is let go, within three intervals. Requests are shared among the
 * replicas of a service: one that is frozen would take its share, and answer none of it, for the four minutes of the broker's own default.
 */
const PROBES = { interval: '3s', unanswered: 2 } as const;

/** The text of a configuration file for `nats-server -c`. */
export const natsConfigText = (config: NatsConfig): string => {
  const { users, monitor, cluster } = config;
  const lines = [
    `server_name: ${setting(config.serverName)}`,
    `listen: ${quoted(`${config.host}:${config.port}`)}`,
    ...(monitor === undefined ? [] : [`http: ${quoted(monitor)}`]),
    `max_payload: ${NATS_MAX_PAYLOAD_BYTES}`,
    `ping_interval: ${quoted(PROBES.interval)}`,
    `ping_max: ${PROBES.unanswered}`,
    'jetstream {',
    `  store_dir: ${quoted(config.storeFolder)}`,
    ...(config.syncAlways ? ['  sync_interval: always'] : []),
    '}',
    ...(cluster === undefined ? [] : clusterLines(cluster)),
    ...(users.length === 0
      ? []
      : [`authorization { timeout: ${LOGIN_TIMEOUT_SECONDS} }`, ...accountLines(config)]),
  ];
  return `${lines.join('\n')}\n`;
};

const clusterLines = ({ name, listen, login, routes }: NatsCluster): readonly string[] => [
  'cluster {',
  `  name: ${quoted(name)}`,
  `  listen: ${quoted(listen)}`,
  '  no_advertise: true',
  '  authorization {',
  `    user: ${quoted(login.name)}`,
  `    password: ${setting(login.password)}`,
  `    timeout: ${LOGIN_TIMEOUT_SECONDS}`,
  '  }',
  '  routes: [',
  ...routes.map((route) => `    ${setting(route)}`),
  '  ]',
  '}',
];

/** Names of accounts in the file. The store keeps what the first one has under its name. */
const ACCOUNT = { streams: 'HOLDFAST', apart: 'HOLDFAST_NODES' } as const;

/**
 * A subject to answer to means the account of whoever asks. With one account for all, the broker's own acknowledgements
 * could be sent into a stream by any user who may publish anything that is acknowledged.
 */
const accountLines = ({ users, crossings }: NatsConfig): readonly string[] => {
  const { ask = [], pull = [], answer = [] } = crossings ?? {};
  const exported = ({ subject }: NatsCrossing, more = ''): string =>
    `{service: ${quoted(subject)}${more}}`;
  const imported =
    (account: string) =>
    ({ subject, as }: NatsCrossing): string => {
      const to = as === undefined ? '' : `, to: ${quoted(as)}`;
      return `{service: {account: ${account}, subject: ${quoted(subject)}}${to}}`;
    };
  return [
    'accounts {',
    ...account(ACCOUNT.streams, 'jetstream: enabled', {
      users: users.filter(({ apart }) => apart !== true),
      exports: [
        ...ask.map((crossing) => exported(crossing)),
        ...pull.map((crossing) => exported(crossing, ', response_type: stream')),
      ],
      imports: answer.map(imported(ACCOUNT.apart)),
    }),
    ...account(ACCOUNT.apart, undefined, {
      users: users.filter(({ apart }) => apart === true),
      exports: answer.map((crossing) => exported(crossing)),
      imports: [...ask, ...pull].flatMap(renamedInFull(users)).map(imported(ACCOUNT.streams)),
    }),
    '}',
  ];
};

/**
 * A crossing under another name, once for each full subject that somebody set apart may publish to. Up to 2.10 the broker itself
 * dies of an answer that is sent to an import which changes the name by a pattern; with a name in full there is no pattern.
 */
const renamedInFull =
  (users: readonly NatsLogin[]) =>
  (crossing: NatsCrossing): readonly NatsCrossing[] => {
    const { subject, as } = crossing;
    if (!as?.endsWith('.*')) return [crossing];
    const prefix = as.slice(0, -1);
    const wanted = users
      .filter(({ apart }) => apart === true)
      .flatMap(({ permissions }) => permissions?.publish ?? [])
      .filter((one) => one.startsWith(prefix) && !/[.*>]/.test(one.slice(prefix.length)));
    return [...new Set(wanted)].map((one) => ({
      subject: `${subject.slice(0, -1)}${one.slice(prefix.length)}`,
      as: one,
    }));
  };

const account = (
  name: string,
  jetstream: string | undefined,
  parts: {
    readonly users: readonly NatsLogin[];
    readonly exports: readonly string[];
    readonly imports: readonly string[];
  },
): readonly string[] => [
  `  ${name} {`,
  ...(jetstream === undefined ? [] : [`    ${jetstream}`]),
  ...list('users', parts.users.flatMap(userLines)),
  ...list('exports', parts.exports),
  ...list('imports', parts.imports),
  '  }',
];

const list = (name: string, lines: readonly string[]): readonly string[] => [
  `    ${name}: [`,
  ...lines.map((line) => `      ${line}`),
  '    ]',
];

const userLines = ({ name, password, permissions }: NatsLogin): readonly string[] => {
  const login = [`  user: ${quoted(name)}`, `  password: ${setting(password)}`];
  if (permissions === undefined) return ['{', ...login, '}'];
  const { publish, subscribe, allowResponses } = permissions;
  return [
    '{',
    ...login,
    '  permissions: {',
    ...['publish: {', ...allowed(publish), '}', 'subscribe: {', ...allowed(subscribe), '}'].map(
      (line) => `    ${line}`,
    ),
    ...(allowResponses ? ['    allow_responses: {max: 1, expires: "2m"}'] : []),
    '  }',
    '}',
  ];
};

const setting = (value: NatsSetting): string =>
  typeof value === 'string' ? quoted(value) : `$${value.variable}`;

/** An empty list of allowed subjects allows all of them, so nothing has to be denied by name. */
const allowed = (subjects: readonly string[]): readonly string[] =>
  subjects.length === 0
    ? ['  deny: [">"]']
    : ['  allow: [', ...subjects.map((subject) => `    ${quoted(subject)}`), '  ]'];

/**
 * A string as the server's parser reads it back.
 *
 * @throws Error on control characters: the parser has no way to write most of them.
 */
export const quoted = (text: string): string => {
  // eslint-disable-next-line no-control-regex -- these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new Error('a control character in a NATS setting');
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};
