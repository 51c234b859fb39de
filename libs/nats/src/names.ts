/** The names of the streams. */
export const STREAM = {
  events: 'HF_EVENTS',
  frames: 'HF_FRAMES',
  output: 'HF_OUTPUT',
  leases: 'HF_LEASES',
} as const;

export type StreamName = (typeof STREAM)[keyof typeof STREAM];

/** The sagas: the durable consumer that all replicas of one share, and the aggregate that it follows. */
export const SAGAS = {
  runs: { durable: 'saga-runs', aggregate: 'run' },
  sessions: { durable: 'saga-sessions', aggregate: 'session' },
  stops: { durable: 'saga-stops', aggregate: 'stop' },
  spawns: { durable: 'saga-spawns', aggregate: 'spawn' },
  agents: { durable: 'saga-agents', aggregate: 'agent' },
  nodes: { durable: 'saga-nodes', aggregate: 'node' },
} as const;

/** What clients may ask `commands`. */
export const CLIENT_COMMANDS = [
  'hf.cmd.runs.submit',
  'hf.cmd.runs.resolve',
  'hf.cmd.stops.request',
  'hf.cmd.spawns.strictInvoke',
  'hf.cmd.spawns.replay',
  'hf.cmd.spawns.create',
  'hf.cmd.spawns.resolve',
  'hf.cmd.nodes.drain',
  'hf.cmd.nodes.return',
  'hf.cmd.access.issue-token',
  'hf.cmd.access.revoke-token',
] as const;

/** What a node may ask `commands`; its workspace and id follow in the subject. */
export const NODE_COMMANDS = [
  'nodes.join',
  'nodes.leave',
  'runs.claim',
  'runs.report',
  'spawns.claim',
  'spawns.report',
] as const;
export type NodeCommand = (typeof NODE_COMMANDS)[number];

/** `hf.cmd.<slice>.advance`: asks the sagas to take an aggregate's next step. */
export const ADVANCE_COMMANDS = 'hf.cmd.*.advance';

/** `~` can't be a part of an id: no two nodes share a name, whatever their workspaces are called. */
export const frameConsumerName = (workspace: string, node: string): string =>
  `frames-${workspace}~${node}`;

/** The inbox prefix that only this user may subscribe to: nobody else reads its answers. */
export const inboxPrefixOf = (user: string): string => (user === '' ? '_INBOX' : `_INBOX_${user}`);

/**
 * Under which subjects the broker's own interface is reached. A node is in an account of its own, which has no streams: the
 * parts that it may use are brought there under another name.
 */
export const apiPrefixOf = (user: string): string =>
  user.startsWith(NODE_USER_PREFIX) ? NODE_API_PREFIX : '$JS.API';
export const NODE_API_PREFIX = 'hf.js';
/** Begins the names of the users that nodes connect as, and of no other. */
export const NODE_USER_PREFIX = 'node.';

/**
 * Whether answers go there. A request names any subject to answer to, and whoever answers has more rights than whoever
 * asks: an answer to a stream's subject would be stored in it.
 */
export const isInbox = (subject: string): boolean =>
  /^(_INBOX(_[^.]+)?|_R_)\.[^*>]+$/.test(subject); // `_R_`: the broker's own name for an inbox in another account.
