/** What a user may publish to and subscribe to; subjects, wildcards allowed. Empty: nothing. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer each request that it received, once, within two minutes. */
  readonly allowResponses?: boolean;
}

/** One login of the server. Passwords lie in the written file as they are: it must be readable by its owner only. */
export interface NatsUser {
  readonly name: string;
  readonly password: string;
  /** Absent: everything. For tests and administration; services always have theirs. */
  readonly permissions?: NatsPermissions;
}

/** What the configuration file of a nats-server says. */
export interface NatsConfig {
  readonly serverName: string;
  readonly host: string;
  readonly port: number;
  readonly storeFolder: string;
  /** Sync each write to disk before it is acknowledged. Servers before 2.10 refuse the word. */
  readonly syncAlways: boolean;
  /** None: anybody may connect and do anything. */
  readonly users: readonly NatsUser[];
}

/** The largest message. Source: the protocol's largest commit is 768 KiB; this is the servers' own default, said aloud. */
export const NATS_MAX_PAYLOAD_BYTES = 1_048_576;

/** The text of a configuration file for `nats-server -c`. */
export const natsConfigText = (config: NatsConfig): string => {
  const lines = [
    `server_name: ${quoted(config.serverName)}`,
    `listen: ${quoted(`${config.host}:${config.port}`)}`,
    `max_payload: ${NATS_MAX_PAYLOAD_BYTES}`,
    'jetstream {',
    `  store_dir: ${quoted(config.storeFolder)}`,
    ...(config.syncAlways ? ['  sync_interval: always'] : []),
    '}',
  ];
  if (config.users.length > 0) {
    lines.push('authorization {', '  users: [', ...config.users.map(userLine), '  ]', '}');
  }
  return `${lines.join('\n')}\n`;
};

const userLine = ({ name, password, permissions }: NatsUser): string => {
  const login = `user: ${quoted(name)}, password: ${quoted(password)}`;
  if (permissions === undefined) return `    {${login}}`;
  const publish = `publish: {${allowed(permissions.publish)}}`;
  const subscribe = `subscribe: {${allowed(permissions.subscribe)}}`;
  const respond = permissions.allowResponses ? ', allow_responses: {max: 1, expires: "2m"}' : '';
  return `    {${login}, permissions: {${publish}, ${subscribe}${respond}}}`;
};

/** An empty list of allowed subjects allows all of them, so nothing has to be denied by name. */
const allowed = (subjects: readonly string[]): string =>
  subjects.length === 0 ? 'deny: [">"]' : `allow: [${subjects.map(quoted).join(', ')}]`;

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
