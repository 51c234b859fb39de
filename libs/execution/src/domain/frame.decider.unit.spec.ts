import { describe, expect, it } from '@jest/globals';
import {
  closed,
  epochRaised,
  frame,
  go,
  journalOf,
  later,
  now,
  resume,
  runId,
  seen,
  self,
  shimReady,
  taken,
} from './entry.fixture.js';
import { decideAsk, decideFrame, type AskDecision } from './frame.decider.js';
import { NEVER_STARTED, type RunEntries } from './entry.state.js';

const NOTHING = journalOf();
const refused = (reason: string, generation = 1) => ({
  kind: 'refuse',
  record: closed(reason, generation),
});

describe('a frame', () => {
  it('is taken, and names who took it', () => {
    expect(decideFrame(NOTHING, frame(), self, false, now)).toStrictEqual({
      kind: 'take',
      record: taken(),
    });
  });

  it('of another journal is none of this one’s business', () => {
    const other = { ...self, journalId: 'journal-2' };
    expect(decideFrame(NOTHING, frame(), other, false, now)).toStrictEqual({
      kind: 'ignore',
      reason: 'it names another journal',
    });
  });

  it.each([
    ['taken', journalOf(taken())],
    ['closed before it came', journalOf(closed('asked'))],
    ['over', journalOf(taken(), go(), seen())],
  ])('that comes again is not taken again: %s', (_what, journal) => {
    expect(decideFrame(journal, frame(), later, false, now)).toStrictEqual({
      kind: 'ignore',
      reason: 'it is journalled already',
    });
  });

  describe('that comes again after a restore', () => {
    const spawn = { spawn: { harness: 'sample', directory: null } };
    const order = frame(1, spawn);
    const first = taken(order);
    const anew = { ...order, epoch: 2 };
    const neverStarted = seen({ how: 'failed', code: NEVER_STARTED, exitCode: null });

    it.each([
      ['lives', journalOf(first, go())],
      ['has ended', journalOf(first, go(), seen())],
    ])('is of an agent whose claim was forgotten, if it %s', (_now, journal) => {
      expect(decideFrame(journal, anew, later, false, now)).toStrictEqual({ kind: 'forgotten' });
    });

    it.each([
      ['of the same epoch', journalOf(first, go()), order],
      ['of a run', journalOf(taken(), go()), frame(1, { epoch: 2 })],
      ['of what was taken', journalOf(first), anew],
      ['of what was closed', journalOf(first, closed('asked')), anew],
      ['of what never came', journalOf(closed('asked')), anew],
      ['of what never started', journalOf(first, go(), neverStarted), anew],
    ])('is no news %s', (_what, journal, again) => {
      expect(decideFrame(journal, again, later, false, now)).toStrictEqual({
        kind: 'ignore',
        reason: 'it is journalled already',
      });
    });
  });

  it('with the prompt is refused for good where the run was ever started', () => {
    const started = journalOf(taken(), go(), seen());
    expect(decideFrame(started, frame(2), self, false, now)).toStrictEqual(
      refused('this journal has started it before', 2),
    );
  });

  it('with the prompt is refused while another generation is being started', () => {
    expect(decideFrame(journalOf(taken()), frame(2), self, true, now)).toStrictEqual(
      refused('another generation of it is being started', 2),
    );
  });

  it('without the prompt is taken after a start: it sends nothing a second time', () => {
    const started = journalOf(taken(), go(), seen());
    expect(decideFrame(started, resume(2), self, true, now)).toStrictEqual({
      kind: 'take',
      record: taken(resume(2)),
    });
  });

  it.each([frame(1, { epoch: 1 }), resume(1)])(
    'of an epoch before a restore is refused, whatever it carries: $kind',
    (older) => {
      expect(decideFrame(journalOf(epochRaised(2)), older, self, false, now)).toStrictEqual(
        refused('it is of an epoch before the restore'),
      );
    },
  );

  it('of the epoch after it is taken', () => {
    const newer = frame(1, { epoch: 2 });
    expect(decideFrame(journalOf(epochRaised(2)), newer, self, false, now)).toStrictEqual({
      kind: 'take',
      record: taken(newer),
    });
  });
});

describe('a question about a generation', () => {
  const ask = (
    journal: RunEntries,
    question: 'status' | 'stop' = 'status',
    beingStarted = false,
    holder: string | null = null,
  ): AskDecision =>
    decideAsk(
      journal,
      { question, runId, generation: 1, epoch: 1, holder },
      self,
      beingStarted,
      now,
    );

  it.each(['status', 'stop'] as const)(
    'that was never seen closes it before the answer leaves: %s',
    (question) => {
      expect(ask(NOTHING, question)).toStrictEqual({
        answer: 'never-seen',
        records: [closed('it was asked about before its frame came')],
      });
    },
  );

  it('that was never seen disproves the claim of the one that is asked about', () => {
    expect(ask(NOTHING, 'status', false, 'incarnation-9')).toStrictEqual({
      answer: 'never-seen',
      records: [closed('it was asked about before its frame came', 1, 'incarnation-9')],
    });
  });

  it.each([
    ['waits for a place', journalOf(taken()), false, 'waiting'],
    ['is claimed', journalOf(taken()), true, 'starting'],
    ['is behind its shim', journalOf(taken(), shimReady()), true, 'starting'],
    ['runs', journalOf(taken(), shimReady(), go()), false, 'running'],
    ['ended', journalOf(taken(), go(), seen()), false, 'ended'],
    ['is closed', journalOf(taken(), closed()), false, 'closed'],
  ] as const)('is answered from the journal: it %s', (_what, journal, beingStarted, answer) => {
    expect(ask(journal, 'status', beingStarted)).toStrictEqual({ answer, records: [] });
  });

  it.each([
    ['waits', journalOf(taken()), 'stopping'],
    ['is behind its shim', journalOf(taken(), shimReady()), 'stopping'],
    ['runs', journalOf(taken(), go()), 'stopping'],
    ['ended', journalOf(taken(), go(), seen()), 'ended'],
    ['is closed', journalOf(closed()), 'closed'],
  ] as const)(
    'that is a stop is answered with what comes of it: it %s',
    (_what, journal, answer) => {
      expect(ask(journal, 'stop')).toStrictEqual({ answer, records: [] });
    },
  );
});

describe('the question after a restore', () => {
  const ask = (journal: RunEntries): AskDecision =>
    decideAsk(
      journal,
      { question: 'close-older-epochs', runId, generation: 1, epoch: 2, holder: null },
      later,
      false,
      now,
    );
  const closedBy = (generation: number) =>
    closed('a restore went back before it', generation, later.incarnation);

  it('refuses late frames of older epochs from now on', () => {
    expect(ask(NOTHING)).toStrictEqual({ answer: 'closed', records: [epochRaised(2)] });
  });

  it('closes what was not started', () => {
    expect(ask(journalOf(taken(), taken(frame(2)), shimReady(2)))).toStrictEqual({
      answer: 'closed',
      records: [closedBy(1), closedBy(2), epochRaised(2)],
    });
  });

  it('writes nothing the second time', () => {
    expect(ask(journalOf(taken(), closedBy(1), epochRaised(2)))).toStrictEqual({
      answer: 'closed',
      records: [],
    });
  });

  it('leaves alone what is of the new epoch', () => {
    expect(ask(journalOf(epochRaised(2), taken(frame(1, { epoch: 2 }))))).toStrictEqual({
      answer: 'closed',
      records: [],
    });
  });

  it.each([
    ['may still run', [go()]],
    ['ended', [go(), seen()]],
  ])('tells of the newest start that there was, and by whom: it %s', (_what, records) => {
    const journal = journalOf(taken(), go(), seen(), taken(resume(2)), ...records.map(ofSecond));
    expect(ask(journal)).toStrictEqual({
      answer: 'started',
      records: [epochRaised(2)],
      started: { generation: 2, by: 'incarnation-1' },
    });
  });

  it('closes what was not started also beside what was', () => {
    expect(ask(journalOf(taken(), go(), seen(), taken(resume(2))))).toStrictEqual({
      answer: 'started',
      records: [closedBy(2), epochRaised(2)],
      started: { generation: 1, by: 'incarnation-1' },
    });
  });
});

const ofSecond = (record: ReturnType<typeof go>) =>
  ({ ...record, data: { ...record.data, generation: 2 } }) as ReturnType<typeof go>;
