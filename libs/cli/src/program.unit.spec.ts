import { describe, expect, it } from '@jest/globals';
import { holdfast } from './cli.fixture.js';

describe('what the command line says of itself', () => {
  it('is its version', async () =>
    expect(await holdfast(['--version'])).toEqual({ exitCode: 0, out: '1.2.3\n', err: '' }));

  it.each([
    [
      ['runs'],
      'queued, dispatched, running, stopping, unknown, completed, failed, stopped, abandoned',
    ],
    [['resolve'], 'completed, failed or abandoned (required)'],
    [['resolve'], 'why: kept with the run (required)'],
    [['token', 'issue'], 'operator, agent or viewer (required)'],
    [['stop'], "without it only the stop's id is printed"],
    [['spawn'], '3 spawn_outcome_unknown, or the answer was lost: an agent may be alive'],
    [['spawns', 'resolve'], 'give the place back without proof (required)'],
    [['nodes', 'drain'], 'why: shown with the node (required)'],
    [['watch'], 'An interrupted watch of a run exits 3'],
    [[], '2 wrong usage, no server, or no valid token'],
  ])('is in the help of %j: %s', async (words, said) => {
    const { exitCode, out } = await holdfast([...words, '--help']);
    expect(exitCode).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toContain(said);
  });
});
