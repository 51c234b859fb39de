import type { Frame } from '#contracts';
import { fold } from '#kernel';
import type { AttemptEnd } from '#runs/contract';
import type { JournalEvent } from './entry.events.js';
import type { EntryContext } from './entry.next.js';
import { entryOf, evolveEntries, noEntries, type Entry, type RunEntries } from './entry.state.js';
import type { JournalIdentity } from './frame.decider.js';

/** Facts that the specs of journal entries share. */
export const runId = 'run-1';
export const now = 1_000;
export const self: JournalIdentity = { journalId: 'journal-1', incarnation: 'incarnation-1' };
export const later: JournalIdentity = { journalId: 'journal-1', incarnation: 'incarnation-2' };
const base = (generation: number) => ({ runId, generation, at: now });

export const frame = (generation = 1, changes: Partial<Frame> = {}): Frame => ({
  workspace: 'main',
  node: 'node-1',
  journalId: 'journal-1',
  runId,
  sessionId: runId,
  agent: 'agent-1',
  epoch: 1,
  generation,
  kind: 'initial',
  prompt: 'Say hello.',
  thread: null,
  turn: null,
  key: runId,
  ...changes,
});
/** A frame that starts an agent. */
export const spawnFrame = (changes: Partial<Frame> = {}): Frame =>
  frame(1, { spawn: { harness: 'harness-1', directory: null }, ...changes });
export const resume = (generation: number): Frame =>
  frame(generation, { kind: 'resume', prompt: null });

const identity = (pid: number) => ({ pid, startTicks: 7, bootId: 'boot-1' });
export const processes = { shim: identity(10), child: identity(11) };

export const taken = (of: Frame = frame(), by = self.incarnation): JournalEvent => ({
  type: 'FrameTaken',
  data: { ...base(of.generation), incarnation: by, frame: of },
});
export const shimReady = (generation = 1): JournalEvent => ({
  type: 'ShimReady',
  data: { ...base(generation), ...processes, workDirectory: '/work/run-1/1', cwd: '/srv' },
});
export const go = (generation = 1): JournalEvent => ({ type: 'GoDecided', data: base(generation) });
export const output = { bytes: 0, sha256: '', truncated: false };
export const seen = (
  end: AttemptEnd = { how: 'completed', exitCode: 0 },
  generation = 1,
): JournalEvent => ({
  type: 'EndSeen',
  data: { ...base(generation), end, output, receipts: {} },
});
export const closed = (
  reason = 'refused',
  generation = 1,
  by = self.incarnation,
): JournalEvent => ({
  type: 'EntryClosed',
  data: { ...base(generation), reason, incarnation: by },
});
export const reported = (generation = 1): JournalEvent => ({
  type: 'EntryReported',
  data: base(generation),
});
export const epochRaised = (epoch = 2): JournalEvent => ({
  type: 'EpochRaised',
  data: { runId, epoch, at: now },
});

export const journalOf = (...records: readonly JournalEvent[]): RunEntries =>
  fold(evolveEntries, noEntries(runId), records);

export const entryIn = (journal: RunEntries, generation = 1): Entry => {
  const entry = entryOf(journal, generation);
  if (entry === undefined) throw new Error(`no entry of generation ${generation}`);
  return entry;
};

/** An agent at work, with nothing out of the ordinary. */
export const context = (changes: Partial<EntryContext> = {}): EntryContext => ({
  incarnation: self.incarnation,
  grip: 'taken',
  placeFree: true,
  stopAsked: false,
  shuttingDown: false,
  timeUp: false,
  outlivesClient: false,
  sighting: 'alive',
  ...changes,
});
