import { describe, expect, it } from '@jest/globals';
import { agentStopProgress, progressOf } from './stop-progress.js';

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

describe('the progress of a stop of an agent', () => {
  const of = (...given: Parameters<typeof stop>) =>
    agentStopProgress(stop(...given), { nodeName: 'seven', nodeId: 'n7' });

  it('waits for the node, by the name that people know', () =>
    expect(of('pending')).toEqual({
      state: 'open',
      words: 'Not proven yet: it waits for node seven to prove that its agent has ended.',
    }));

  it('ends with proof, too late, or in doubt', () => {
    expect(of('proven', 'process-group-gone')).toEqual({
      state: 'done',
      words: 'Proven to have stopped: nothing that it started is alive.',
    });
    expect(of('too-late')).toMatchObject({ state: 'done' });
    expect(of('unknown').words).toContain('node seven could not prove it');
    expect(of('unknown', null, ['pid 7']).words).toContain('What stands below');
    for (const one of [of('unknown'), of('unknown', null, ['pid 7'])])
      expect(one.state).toBe('doubt');
  });
});
