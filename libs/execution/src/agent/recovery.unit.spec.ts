import { describe, expect, it } from '@jest/globals';
import type { RunReport } from '#contracts';
import { fold } from '#kernel';
import {
  evolveEntries,
  noEntries,
  type Entry,
  type JournalEvent,
  type RunEntries,
} from '../domain/index.js';
import { go, output, shimReady, taken } from '../domain/entry.fixture.js';
import { NodeAgent } from './node.agent.js';
import type { EntryJournal, Programs, WatchedProgram } from './ports.js';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
};

/** One started entry of each run, left by an earlier incarnation. */
class Journal implements EntryJournal {
  readonly journalId = 'journal-1';
  readonly #runs: Map<string, RunEntries>;

  constructor(runIds: readonly string[]) {
    const records = [taken(), shimReady(), go()];
    const of = (runId: string): readonly JournalEvent[] =>
      records.map((record) => ({ ...record, data: { ...record.data, runId } }) as JournalEvent);
    const started = (runId: string) => fold(evolveEntries, noEntries(runId), of(runId));
    this.#runs = new Map(runIds.map((runId) => [runId, started(runId)]));
  }

  sequenceOf = (): number => 1;
  run = (runId: string): RunEntries => this.#runs.get(runId) ?? noEntries(runId);
  unreported = (): readonly Entry[] =>
    [...this.#runs.values()].flatMap(({ entries }) => entries.filter((entry) => !entry.reported));
  transition: EntryJournal['transition'] = (runId, decide) => {
    const { records, result } = decide(this.run(runId));
    this.#runs.set(runId, fold(evolveEntries, this.run(runId), records));
    return Promise.resolve(result);
  };
}

/** An agent that takes up `bad` and `good`, in this order. All programs have ended, unless a port says otherwise. */
const recovered = async (ports: Partial<Programs>) => {
  const reports: RunReport[] = [];
  const troubles: string[] = [];
  let timers: (() => void)[] = [];
  const completed = { how: 'completed', exitCode: 0 } as const;
  const programs: Programs = {
    traits: () => ({ outlivesClient: false, timeLimitMs: null }),
    prepare: () => Promise.reject(new Error('nothing is started here')),
    look: () => Promise.resolve('exited'),
    watch: () => ({ ended: Promise.resolve('exited'), close: () => undefined }),
    receipts: () => Promise.resolve({}),
    conclude: () => Promise.resolve({ end: completed, output, receipts: {} }),
    remains: () => Promise.resolve([]),
    stop: () => Promise.resolve({ remains: [], endedByItself: true }),
    ...ports,
  };
  const report = (what: RunReport) => {
    reports.push(what);
    return Promise.resolve({ kind: 'answer', value: { recorded: true } } as const);
  };
  const agent = new NodeAgent(
    {
      journal: new Journal(['bad', 'good']),
      commands: {
        claim: () => Promise.resolve({ kind: 'no-answer' }),
        report,
        claimSpawn: () => Promise.resolve({ kind: 'no-answer' }),
        reportSpawn: () => Promise.resolve({ kind: 'no-answer' }),
      },
      programs,
      companions: { accompany: () => ({ finish: () => undefined }) },
      clock: { now: () => 0 },
    },
    {
      self: { journalId: 'journal-1', incarnation: 'incarnation-2' },
      maxRuns: 4,
      timers: {
        after: (_ms, act) => {
          timers.push(act);
          return { cancel: () => (timers = timers.filter((other) => other !== act)) };
        },
      },
      receiptsLingerMs: 0,
      notReady: () => [],
      hash: (text) => text,
      onTrouble: (key, trouble) => troubles.push(`${key}: ${String(trouble)}`),
    },
  );
  agent.recover();
  await settle();
  return {
    agent,
    troubles,
    ended: () => reports.filter(({ kind }) => kind === 'ended').map(({ runId }) => runId),
    later: async () => {
      for (const due of timers.splice(0)) due();
      await settle();
    },
  };
};

/** Fails for the run `bad` for as many times, and then does as it is told. */
const failing = <Result>(times: number, then: Result) => {
  let left = times;
  return ({ runId }: Entry): Promise<Result> => {
    if (runId !== 'bad' || left === 0) return Promise.resolve(then);
    left -= 1;
    return Promise.reject(new Error('bad entry'));
  };
};
const TOLD = 'bad/1: Error: bad entry';

describe('one bad entry among those that an earlier incarnation left', () => {
  it('is looked at again when the first look failed', async () => {
    const { ended, troubles, later } = await recovered({ look: failing(1, 'exited') });
    expect([ended(), troubles]).toEqual([['good'], [TOLD]]);
    await later();
    expect([ended(), troubles]).toEqual([['good', 'bad'], [TOLD]]);
  });

  it('keeps no other waiting, though it fails for ever', async () => {
    const { agent, ended, troubles, later } = await recovered({ look: failing(Infinity, 'gone') });
    await later();
    await later();
    expect([ended(), troubles]).toEqual([['good'], [TOLD, TOLD, TOLD]]);
    expect(agent.lease().recovering).toBe(false);
  });

  it('is watched again when watching it failed', async () => {
    let watched = 0;
    const watch = ({ runId }: Entry): WatchedProgram => {
      watched += 1;
      const fails = runId === 'bad' && watched < 3; // One time for each of the two.
      const ended = fails ? Promise.reject(new Error('bad entry')) : Promise.resolve('exited');
      return { ended: ended as WatchedProgram['ended'], close: () => undefined };
    };
    const alive = { look: () => Promise.resolve('alive' as const), watch };
    const { ended, troubles, later } = await recovered(alive);
    expect([ended(), troubles]).toEqual([['good'], [TOLD]]);
    await later();
    expect([ended(), troubles]).toEqual([['good', 'bad'], [TOLD]]);
  });
});
