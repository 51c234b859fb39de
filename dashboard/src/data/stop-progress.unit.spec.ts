import { describe, expect, it } from '@jest/globals';
import { progressOf } from './stop-progress.js';

const stop = (
  outcome: 'pending' | 'proven' | 'unknown' | 'too-late',
  proof: string | null = null,
  remains: readonly string[] = [],
) => ({ outcome, proof, remains });
const run = (status: 'stopping' | 'stopped' | 'unknown' | 'completed' | 'abandoned') => ({
  status,
  node: 'n1',
  waitsFor: status === 'stopping' ? 'node n1 to prove that it stopped; the node is silent' : null,
});

describe('the progress of a stop', () => {
  it('says what it waits for', () => {
    expect(progressOf(stop('pending'), run('stopping'))).toEqual({
      state: 'open',
      words: 'Not proven yet: it waits for node n1 to prove that it stopped; the node is silent.',
    });
  });

  it.each([
    ['unclaimed', 'it had not been started, and never will be'],
    ['fenced', 'it was proven before that nothing of it runs'],
    ['process-group-gone', 'nothing that it started is alive'],
    ['ended-by-itself', 'it ended by itself'],
    ['closed by incarnation i2', 'closed by incarnation i2'],
  ])('says what was proven: %s', (proof, words) => {
    expect(progressOf(stop('proven', proof), run('stopped'))).toEqual({
      state: 'done',
      words: `Proven to have stopped: ${words}.`,
    });
  });

  it('tells apart why not all is known', () => {
    const words = [
      progressOf(stop('unknown'), run('unknown')),
      progressOf(stop('unknown', 'none', ['pid 7']), run('stopped')),
      progressOf(stop('unknown'), run('abandoned')),
    ].map(({ state, words }) => {
      expect(state).toBe('doubt');
      return words;
    });
    expect(words[0]).toContain('Node n1 did not answer');
    expect(words[1]).toContain('What stands below was not shown to have stopped');
    expect(words[2]).toContain('an operator settled it');
  });

  it('says that it came too late, and how the run had ended', () => {
    expect(progressOf(stop('too-late'), run('completed')).words).toContain('It is completed.');
  });
});
