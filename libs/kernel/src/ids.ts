/** Branded ids: a run's id can't be passed where a node's is expected. All are plain strings on the wire. */
type Branded<Name extends string> = string & { readonly __id?: Name };

export type WorkspaceId = Branded<'workspace'>;
export type RunId = Branded<'run'>;
export type SessionId = Branded<'session'>;
export type AgentName = Branded<'agent'>;
export type NodeId = Branded<'node'>;
export type StopId = Branded<'stop'>;
export type SpawnId = Branded<'spawn'>;
/** Names one journal from its creation; a replaced disk means another one (never reused). */
export type JournalId = Branded<'journal'>;
/** Names one start of a node-agent process. */
export type Incarnation = Branded<'incarnation'>;
/** Names one command; kept across retries, so that a repeat is recognised. 1 to 255 printable characters. */
export type CommandId = Branded<'command'>;
/** Who asked: stable across rotated tokens. */
export type PrincipalId = Branded<'principal'>;
/** Counts restores of the event store: 1 for a fresh one. */
export type Epoch = number;
