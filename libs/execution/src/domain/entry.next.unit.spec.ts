import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Step } from '#kernel';
import type { AttemptEnd } from '#runs/contract';
import {
  closed,
  context,
  entryIn,
  frame,
  go,
  journalOf,
  later,
  reported,
  resume,
  seen,
  shimReady,
  taken,
} from './entry.fixture.js';
import { nextEntry, type EntryContext, type EntryStep } from './entry.next.js';
import type { RunEntries } from './entry.state.js';

const TAKEN = journalOf(taken());
const SHIM = journalOf(taken(), shimReady());
const GO = journalOf(taken(), shimReady(), go());
const ENDED = journalOf(taken(), shimReady(), go(), seen());
const CLOSED = journalOf(taken(), closed());

const next = (journal: RunEntries, changes: Partial<EntryContext> = {}, generation = 1) =>
  nextEntry(entryIn(journal, generation), journal, context(changes));
const take = (step: EntryStep): Step<EntryStep> => ({ kind: 'take', step });
const close = (reason: string): Step<EntryStep> => take({ kind: 'close', reason });

describe('an entry on its way to its start', () => {
  it.each([
    ['asks for its claim when its frame is journalled', TAKEN, 'taken', { kind: 'claim' }],
    ['prepares its program when the claim is granted', TAKEN, 'claimed', { kind: 'startShim' }],
    ['journals go before it gives it', SHIM, 'shim', { kind: 'journalGo' }],
    ['gives go when that is durable', GO, 'go', { kind: 'giveGo' }],
  ] as const)('%s', (_what, journal, grip, step) => {
    expect(next(journal, { grip })).toStrictEqual(take(step));
  });

  it('waits for a free place before it claims', () => {
    expect(next(TAKEN, { placeFree: false })).toStrictEqual({
      kind: 'wait',
      waitsFor: 'a free place on the node',
    });
  });

  it.each([
    ['taken', TAKEN],
    ['shim', SHIM],
  ] as const)('is closed when it was left by an earlier incarnation: %s', (_phase, journal) => {
    const reason = 'the agent that took it died before it was started';
    expect(next(journal, { grip: 'none' })).toStrictEqual(close(reason));
    expect(next(journal, { incarnation: later.incarnation })).toStrictEqual(close(reason));
  });

  it.each([
    ['taken', TAKEN, 'taken'],
    ['taken', TAKEN, 'claimed'],
    ['shim', SHIM, 'shim'],
  ] as const)('is closed by a stop and by a shutdown: %s, held as %s', (_phase, journal, grip) => {
    expect(next(journal, { grip, stopAsked: true })).toStrictEqual(
      close('stopped before it was started'),
    );
    expect(next(journal, { grip, shuttingDown: true })).toStrictEqual(
      close('the agent shuts down, and had not started it'),
    );
  });

  it.each([
    ['claimed', 'startShim', [taken(frame(2))]],
    ['shim', 'journalGo', [taken(frame(2)), shimReady(2)]],
  ] as const)('is closed when the run was started before: %s', (grip, _step, records) => {
    const reason = 'another generation of it was started';
    const ended = journalOf(taken(), go(), seen(), ...records);
    expect(next(ended, { grip }, 2)).toStrictEqual(close(reason));
  });

  it('resumes beside an attempt that ended, and never beside one that may live', () => {
    const after = journalOf(taken(), go(), seen(), taken(resume(2)));
    const beside = journalOf(taken(), go(), taken(resume(2)));
    expect(next(after, { grip: 'claimed' }, 2)).toStrictEqual(take({ kind: 'startShim' }));
    expect(next(beside, { grip: 'claimed' }, 2)).toStrictEqual(
      close('another generation of it was started'),
    );
  });
});

describe('an entry whose program has go', () => {
  it.each([
    ['is adopted by a later incarnation', { grip: 'none', sighting: 'alive' }, { kind: 'adopt' }],
    ['has its exit journalled', { grip: 'watching', sighting: 'exited' }, { kind: 'journalExit' }],
    [
      'left an exit for a later incarnation',
      { grip: 'none', sighting: 'exited' },
      { kind: 'journalExit' },
    ],
    ['is journalled as gone', { grip: 'watching', sighting: 'gone' }, { kind: 'journalGone' }],
    [
      'goes down the ladder for a stop',
      { grip: 'watching', stopAsked: true },
      { kind: 'runLadder', by: 'stop' },
    ],
    [
      'goes down the ladder for a stop that came before go was given',
      { grip: 'go', stopAsked: true },
      { kind: 'runLadder', by: 'stop' },
    ],
    [
      'goes down the ladder when its time is up',
      { grip: 'watching', timeUp: true },
      { kind: 'runLadder', by: 'time-limit' },
    ],
    [
      'goes down the ladder at a shutdown',
      { grip: 'watching', shuttingDown: true },
      { kind: 'runLadder', by: 'shutdown' },
    ],
    [
      'is proven gone by the ladder when it is dead and stopped',
      { grip: 'watching', sighting: 'gone', stopAsked: true },
      { kind: 'runLadder', by: 'stop' },
    ],
    [
      'keeps its exit, though a stop came',
      { grip: 'watching', sighting: 'exited', stopAsked: true },
      { kind: 'journalExit' },
    ],
    [
      'is not given go by a later incarnation',
      { grip: 'go', incarnation: later.incarnation },
      { kind: 'adopt' },
    ],
  ] as const)('%s', (_what, changes, step) => {
    expect(next(GO, changes)).toStrictEqual(take(step));
  });

  it('is watched until it ends', () => {
    expect(next(GO, { grip: 'watching' })).toStrictEqual({
      kind: 'wait',
      waitsFor: 'the program to end',
    });
  });

  it('goes on without its agent where it can outlive its client', () => {
    expect(next(GO, { grip: 'watching', shuttingDown: true, outlivesClient: true })).toStrictEqual({
      kind: 'wait',
      waitsFor: 'the program to end',
    });
  });
});

describe('an entry that is over', () => {
  it.each([
    ['ended', ENDED],
    ['closed', CLOSED],
  ])('is reported, and then needs nothing: %s', (_phase, journal) => {
    expect(next(journal, { grip: 'none' })).toStrictEqual(take({ kind: 'report' }));
    const told = { ...entryIn(journal), reported: true };
    expect(nextEntry(told, journal, context({ grip: 'none' }))).toStrictEqual({ kind: 'nothing' });
  });

  it('is reported again when what it had left alive ended later', () => {
    const remains: AttemptEnd = { how: 'lost', reason: 'gone', remains: ['4711'] };
    const left = journalOf(taken(), go(), seen(remains), reported());
    expect(next(left, { grip: 'none' })).toStrictEqual({ kind: 'nothing' });
    expect(next(left, { grip: 'none', stopAsked: true })).toStrictEqual(
      take({ kind: 'runLadder', by: 'stop' }),
    );
    const killed: AttemptEnd = { how: 'killed', by: 'stop', remains: [] };
    const after = journalOf(taken(), go(), seen(remains), reported(), seen(killed));
    expect(next(after, { grip: 'none', stopAsked: true })).toStrictEqual(take({ kind: 'report' }));
  });
});

describe('in whatever state an agent finds an entry', () => {
  const journals = fc.constantFrom(TAKEN, SHIM, GO, ENDED, CLOSED);
  const contexts: fc.Arbitrary<EntryContext> = fc.record({
    incarnation: fc.constantFrom(context().incarnation, later.incarnation),
    grip: fc.constantFrom('none', 'taken', 'claimed', 'shim', 'go', 'watching'),
    placeFree: fc.boolean(),
    stopAsked: fc.boolean(),
    shuttingDown: fc.boolean(),
    timeUp: fc.boolean(),
    outlivesClient: fc.boolean(),
    sighting: fc.constantFrom('alive', 'exited', 'gone'),
  });

  it('go is given only by the incarnation that journalled it, and never to what is over', () => {
    fc.assert(
      fc.property(journals, contexts, (journal, around) => {
        const entry = entryIn(journal);
        const step = nextEntry(entry, journal, around);
        const kind = step.kind === 'take' ? step.step.kind : null;
        if (kind === 'giveGo')
          expect([entry.phase, around.incarnation]).toStrictEqual(['go', entry.incarnation]);
        if (kind === 'startShim' || kind === 'journalGo' || kind === 'claim')
          expect([entry.incarnation, around.stopAsked, around.shuttingDown]).toStrictEqual([
            around.incarnation,
            false,
            false,
          ]);
        if (kind === 'close') expect(['taken', 'shim']).toContain(entry.phase);
      }),
      { numRuns: 500 },
    );
  });
});
