import { isToken } from '#event-store';
import {
  ADVANCE_COMMANDS,
  CLIENT_COMMANDS,
  NODE_API_PREFIX,
  NODE_COMMANDS,
  NODE_USER_PREFIX,
  SAGAS,
  STREAM,
  frameConsumerName,
  inboxPrefixOf,
  type StreamName,
} from './names.js';
import { isWorkspaceName } from './subjects.js';

/** The services that have a user of their own on the broker. */
export const NATS_SERVICES = [
  'gateway',
  'commands',
  'sagas',
  'projector',
  'queries',
  'reconciler',
] as const;

/** Who connects: a service, or the agent of one node. */
export type NatsPrincipal =
  (typeof NATS_SERVICES)[number] | { readonly node: string; readonly workspace: string };

/** What a user may do on the broker; everything else is refused. */
export interface NatsPermissionSet {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer each request that it received, once, and so needs no right to publish into anybody's inbox. */
  readonly allowResponses: boolean;
}

/** The user's name. A node's has dots, which no id can have: no two nodes share one. */
export const natsUserOf = (principal: NatsPrincipal): string => {
  if (typeof principal === 'string') return principal;
  const { workspace, node } = principal;
  if (!isWorkspaceName(workspace) || !isToken(node))
    throw new Error(`node ${JSON.stringify(node)} of ${JSON.stringify(workspace)} can't be a user`);
  return `${NODE_USER_PREFIX}${workspace}.${node}`;
};

/**
 * The least that a user needs. Only `commands`, `sagas` and `reconciler` may append events or publish frames; a node
 * may speak for itself alone.
 */
export const permissionsFor = (principal: NatsPrincipal): NatsPermissionSet => {
  const inbox = `${inboxPrefixOf(natsUserOf(principal))}.>`;
  const { publish, subscribe } =
    typeof principal === 'string' ? ofService[principal] : ofNode(principal);
  return {
    publish,
    subscribe: [inbox, ...subscribe],
    allowResponses: subscribe.length > 0,
  };
};

const fromApi = (part: string) => ({
  subject: `$JS.API.${part}`,
  as: `${NODE_API_PREFIX}.${part}`,
});
const unchanged = (subject: string) => ({ subject });

/** Nodes are set apart, in an account of their own: what they may reach beyond it, and how they are reached. */
export const NODE_CROSSINGS = {
  ask: [
    ...NODE_COMMANDS.map((command) => unchanged(`hf.cmd.${command}.*.*`)),
    unchanged('hf.lease.*.*'),
    unchanged('hf.output.>'),
    fromApi(`CONSUMER.INFO.${STREAM.frames}.*`),
    unchanged(`$JS.ACK.${STREAM.frames}.>`),
    unchanged(`$JS.ACK.*.*.${STREAM.frames}.>`),
  ],
  pull: [fromApi(`CONSUMER.MSG.NEXT.${STREAM.frames}.*`)],
  answer: [unchanged('hf.ask.*.*')],
};

/** A user of the broker but for its password: what it is called, what it may do, and whether it is set apart as nodes are. */
export const natsLoginOf = (
  principal: NatsPrincipal,
): { readonly name: string; readonly permissions: NatsPermissionSet; readonly apart: boolean } => ({
  name: natsUserOf(principal),
  permissions: permissionsFor(principal),
  apart: typeof principal !== 'string',
});

type Rights = Pick<NatsPermissionSet, 'publish' | 'subscribe'>;

const infoOf = (stream: StreamName): string => `$JS.API.STREAM.INFO.${stream}`;
const ALL_INFOS = Object.values(STREAM).map(infoOf);

/** Single messages, from the leader and from any replica. */
const reads = (stream: StreamName): string[] => [
  infoOf(stream),
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
];

/** Consumers of the reader's own making. None may be deleted: the broker removes those that nobody uses. */
const consumes = (stream: StreamName): string[] => [
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
];

/** Old servers acknowledge on the first form, newer ones may use the second, which names domain and account. */
const acknowledges = (stream: StreamName, consumer: string): string[] => [
  `$JS.ACK.${stream}.${consumer}.>`,
  `$JS.ACK.*.*.${stream}.${consumer}.>`,
];

const APPENDS = ['hf.ev.*.*.*', ...reads(STREAM.events), ...ALL_INFOS];
const PUBLISHES_FRAMES = ['hf.frame.*.*.*.*.*', ...reads(STREAM.frames)];
const JUDGES_LEASES = ['hf.lease._observer.*', ...reads(STREAM.leases)];
const MAKES_FRAME_CONSUMERS = [
  `$JS.API.CONSUMER.CREATE.${STREAM.frames}.>`,
  `$JS.API.CONSUMER.INFO.${STREAM.frames}.*`,
];
/** Making a stream that exists changes nothing: no right to update, purge or delete one goes with it. */
const MAKES_STREAMS = Object.values(STREAM).map((stream) => `$JS.API.STREAM.CREATE.${stream}`);

const unique = (subjects: readonly string[]): string[] => [...new Set(subjects)];

const ofService: Readonly<Record<(typeof NATS_SERVICES)[number], Rights>> = {
  gateway: { publish: unique([...CLIENT_COMMANDS, 'hf.qry.>', ...ALL_INFOS]), subscribe: [] },
  commands: {
    publish: unique([
      ...APPENDS,
      ...PUBLISHES_FRAMES,
      ...JUDGES_LEASES,
      ...MAKES_FRAME_CONSUMERS,
      ...MAKES_STREAMS,
      ADVANCE_COMMANDS,
    ]),
    subscribe: [...CLIENT_COMMANDS, ...NODE_COMMANDS.map((command) => `hf.cmd.${command}.*.*`)],
  },
  sagas: {
    publish: unique([
      ...APPENDS,
      ...PUBLISHES_FRAMES,
      ...JUDGES_LEASES,
      ...MAKES_FRAME_CONSUMERS,
      ...consumes(STREAM.events),
      ...acknowledges(STREAM.events, '*'),
      'hf.ask.*.*',
    ]),
    subscribe: [ADVANCE_COMMANDS],
  },
  projector: {
    publish: unique([...reads(STREAM.events), ...consumes(STREAM.events), ...ALL_INFOS]),
    subscribe: [],
  },
  queries: {
    publish: unique([
      ...reads(STREAM.events),
      ...reads(STREAM.output),
      ...JUDGES_LEASES,
      // How far the sagas are behind; only to look.
      ...Object.values(SAGAS).map(
        ({ durable }) => `$JS.API.CONSUMER.INFO.${STREAM.events}.${durable}`,
      ),
      ...ALL_INFOS,
    ]),
    subscribe: ['hf.qry.>'],
  },
  reconciler: {
    publish: unique([
      ...APPENDS,
      ...PUBLISHES_FRAMES,
      ...JUDGES_LEASES,
      ...consumes(STREAM.events),
      ADVANCE_COMMANDS,
      'hf.ask.*.*',
    ]),
    subscribe: [],
  },
};

const ofNode = ({ workspace, node }: Exclude<NatsPrincipal, string>): Rights => {
  const consumer = frameConsumerName(workspace, node);
  return {
    publish: [
      ...NODE_COMMANDS.map((command) => `hf.cmd.${command}.${workspace}.${node}`),
      `hf.lease.${workspace}.${node}`,
      `hf.output.${workspace}.*.${node}`,
      `${NODE_API_PREFIX}.CONSUMER.INFO.${STREAM.frames}.${consumer}`,
      `${NODE_API_PREFIX}.CONSUMER.MSG.NEXT.${STREAM.frames}.${consumer}`,
      ...acknowledges(STREAM.frames, consumer),
    ],
    subscribe: [`hf.ask.${workspace}.${node}`],
  };
};
