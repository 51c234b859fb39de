import { describe, expect, it } from '@jest/globals';
import {
  consequencesOfSettling,
  consequencesOfStop,
  isStoppable,
  type Around,
} from './consequences.js';
import { STATUSES } from './run-status.js';

const UNKNOWN = {
  code: 'RUN_OUTCOME_UNKNOWN',
  witness: 'saga',
  reason: 'its node fell silent',
  since: '2026-01-01T00:00:00.000Z',
  lastHeardAt: null,
  advice: '',
} as const;
const run = (
  status: (typeof STATUSES)[number],
  change: {
    readonly attempts?: number;
    readonly fenced?: boolean;
    readonly stopped?: boolean;
  } = {},
) => ({
  status,
  node: 'n1',
  attempts: change.attempts ?? 0,
  stop: change.stopped === true ? { stopId: 's', requestedAt: UNKNOWN.since, reason: 'r' } : null,
  unknown: status === 'unknown' ? { ...UNKNOWN, fenced: change.fenced === true } : null,
});
const around = (
  liveness: 'alive' | 'silent' = 'alive',
  outlivesClient = false,
  membership: 'member' | 'left' = 'member',
): Around => ({
  node: { liveness, membership },
  agent: {
    capabilities: {
      deduplicatesByKey: false,
      readBackByKey: false,
      interruptible: true,
      outlivesClient,
    },
  },
});
const nothingKnown: Around = { node: undefined, agent: undefined };
const said = (sentences: readonly string[]): string => sentences.join(' ');

describe('what a stop does, as it is said before', () => {
  it('to a run that nobody started: it ends at once', () => {
    expect(consequencesOfStop(run('queued'), around())).toEqual([
      'It has not been started, and never will be: it ends as stopped at once.',
    ]);
    const dispatched = said(consequencesOfStop(run('dispatched'), around()));
    expect(dispatched).toContain('Once the stop is accepted it never may');
    expect(dispatched).toContain('If it starts before that, it is stopped as a running one is');
  });

  it('to a run that waits to be resumed: what it did stays', () => {
    const words = said(consequencesOfStop(run('queued', { attempts: 1 }), around()));
    expect(words).toContain('It waits to be resumed, and will not be');
    expect(words).toContain('What it has done stays done');
    expect(words).not.toContain('has not been started');
  });

  it('to a running one: signals, and no more than that', () => {
    const words = said(consequencesOfStop(run('running'), around()));
    expect(words).toContain('Node n1 sends all that it started for this run a polite signal');
    expect(words).toContain('If the node does not answer, the outcome is shown as unknown');
    expect(words).toContain('What it has done stays done');
    expect(words).toContain('it can not count as completed any more');
    expect(words).not.toContain('silent');
    expect(words).not.toContain('runtime goes on');
  });

  it.each([around('silent'), around('alive', false, 'left')])(
    'to one whose node is away: the stop waits for it',
    (away) => {
      for (const one of [run('running'), run('unknown')]) {
        const words = said(consequencesOfStop(one, away));
        expect(words).toContain('The stop is kept, and reaches the node when it is back');
        expect(words).not.toContain('polite signal');
      }
    },
  );

  it('to one in a runtime that goes on without its client: what may go on', () => {
    for (const one of [run('running'), run('unknown'), run('unknown', { fenced: true })])
      expect(said(consequencesOfStop(one, around('alive', true)))).toContain(
        'named as what may go on',
      );
    expect(said(consequencesOfStop(run('queued'), around('alive', true)))).not.toContain('runtime');
  });

  it('to an unknown one: its outcome stays unknown, and it counts as stopped', () => {
    const fenced = said(consequencesOfStop(run('unknown', { fenced: true }), around()));
    expect(fenced).toContain('nothing is signalled, and it ends as stopped at once');
    const open = said(consequencesOfStop(run('unknown'), around()));
    expect(open).toContain('polite signal');
    expect(open).toContain('not even by your decision');
    for (const words of [fenced, open]) expect(words).toContain('as unknown as before');
  });

  it('to every other one: nothing, and it is not offered', () => {
    for (const status of ['completed', 'failed', 'stopped', 'abandoned'] as const) {
      expect(consequencesOfStop(run(status), around())).toEqual([
        `It has ended: it is ${status}. A stop changes nothing any more.`,
      ]);
      expect(isStoppable(run(status))).toBe(false);
    }
    expect(isStoppable(run('stopping', { stopped: true }))).toBe(false);
    expect(isStoppable(run('unknown', { stopped: true }))).toBe(false);
    expect(isStoppable(run('unknown'))).toBe(true);
  });

  it('is said of every status, also when nothing is known of its node', () => {
    for (const status of STATUSES)
      expect(consequencesOfStop(run(status), nothingKnown).length).toBeGreaterThan(0);
  });
});

describe('what a decision does, as it is said before', () => {
  it('stops nothing that may still run, and frees its session', () => {
    const words = said(consequencesOfSettling(run('unknown'), around()));
    expect(words).toContain('can not be taken back');
    expect(words).toContain('Holdfast sends nothing again');
    expect(words).toContain('kept as late evidence, and does not change your decision');
    expect(words).toContain('it goes on beside the next run of its session');
    expect(words).toContain('can not be stopped from here any more');
  });

  it('is told apart from one on a run that is proven to run no longer', () => {
    const words = said(consequencesOfSettling(run('unknown', { fenced: true }), around()));
    expect(words).toContain('It is proven that nothing of it runs any more');
    expect(words).not.toContain('Nothing is stopped by this');
  });

  it('says what a stop rules out, and what a silent node may still show', () => {
    expect(said(consequencesOfSettling(run('unknown', { stopped: true }), around()))).toContain(
      'it can not count as completed',
    );
    expect(said(consequencesOfSettling(run('unknown'), around('silent')))).toContain(
      'its journal may still show what happened',
    );
    expect(said(consequencesOfSettling(run('unknown'), around()))).not.toContain('silent');
  });

  it('says that there is nothing to decide once the outcome is known', () => {
    expect(consequencesOfSettling(run('completed'), around())).toEqual([
      'Its outcome is known by now: it is completed. There is nothing left to decide.',
    ]);
    expect(consequencesOfSettling(run('running'), around())).toEqual([
      'Its outcome is no longer unknown: it is running. There is nothing to decide now.',
    ]);
  });
});
