import { describe, expect, it } from '@jest/globals';
import type { ChangeView } from '../../../libs/contracts/src/views.js';
import { readAgainAfter } from './read-again.js';

const askedAfter = (kind: string) => {
  const asked = { shown: [] as unknown[], counts: [] as unknown[] };
  readAgainAfter({ kind, id: 'x', status: 'any' } as ChangeView, {
    shown: { ask: (...keys) => void asked.shown.push(...keys) },
    counts: { ask: (...keys) => void asked.counts.push(...keys) },
  });
  return asked;
};

describe('what is read again', () => {
  it.each([
    ['run', [['runs'], ['run', 'x'], ['unknowns']], [['counts']]],
    ['session', [['runs'], ['session', 'x']], []],
    ['agent', [['agents']], []],
    ['node', [['nodes']], []],
    ['spawn', [['spawns'], ['spawn', 'x'], ['unknowns'], ['nodes']], []],
    ['what a newer server tells of', [], []],
  ])('after a change is all that shows it: %s', (kind, shown, counts) => {
    expect(askedAfter(kind)).toEqual({ shown, counts });
  });
});
