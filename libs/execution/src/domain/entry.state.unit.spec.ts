import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  closed,
  entryIn,
  epochRaised,
  frame,
  go,
  journalOf,
  output,
  processes,
  reported,
  runId,
  seen,
  shimReady,
  taken,
} from './entry.fixture.js';
import { entryOf, isOpen } from './entry.state.js';

describe('what a journal knows of a run', () => {
  it('follows an entry from its frame to its report', () => {
    const phases = [taken(), shimReady(), go(), seen(), reported()].map((_record, index, all) => {
      const { phase, reported: told } = entryIn(journalOf(...all.slice(0, index + 1)));
      return [phase, told];
    });
    expect(phases).toStrictEqual([
      ['taken', false],
      ['shim', false],
      ['go', false],
      ['ended', false],
      ['ended', true],
    ]);
  });

  it('keeps who took it, how it ran and how it ended', () => {
    expect(entryIn(journalOf(taken(), shimReady(), go(), seen()))).toStrictEqual({
      runId,
      generation: 1,
      work: 'run',
      phase: 'ended',
      incarnation: 'incarnation-1',
      frame: frame(),
      processes,
      workDirectory: '/work/run-1/1',
      cwd: '/srv',
      goAt: 1_000,
      end: { end: { how: 'completed', exitCode: 0 }, output, receipts: {} },
      closedBecause: null,
      reported: false,
    });
  });

  it('never forgets that the run was started', () => {
    expect(journalOf(taken(), shimReady()).everStarted).toBe(false);
    expect(journalOf(taken(), go(), seen(), reported()).everStarted).toBe(true);
  });

  it('names whose claim is disproved by a closing: who took it, or else who was asked about', () => {
    expect(entryIn(journalOf(taken(), closed('stopped', 1, 'incarnation-2'))).incarnation).toBe(
      'incarnation-1',
    );
    expect(entryIn(journalOf(closed('asked', 1, 'incarnation-9'))).incarnation).toBe(
      'incarnation-9',
    );
  });

  it('keeps its entries in the order of the generations', () => {
    const journal = journalOf(closed('asked', 3), taken(), closed('asked', 2));
    expect(journal.entries.map(({ generation }) => generation)).toStrictEqual([1, 2, 3]);
    expect(journal.entries.map(isOpen)).toStrictEqual([true, false, false]);
  });

  it('refuses more and more epochs, and never fewer', () => {
    expect(journalOf(epochRaised(3), epochRaised(2)).epochFloor).toBe(3);
  });

  it('takes records in any order: what is on the disk is a fact', () => {
    const records = [taken(), shimReady(), go(), seen(), closed(), reported(), epochRaised()];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...records), { maxLength: 12 }), (some) => {
        const journal = journalOf(...some);
        const started = some.some(({ type }) => type === 'GoDecided');
        expect(journal.everStarted).toBe(started);
        expect(entryOf(journal, 1) === undefined).toBe(
          some.every(({ type }) => type === 'EpochRaised'),
        );
      }),
    );
  });
});
