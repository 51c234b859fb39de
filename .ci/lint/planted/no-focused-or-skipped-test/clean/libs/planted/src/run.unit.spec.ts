import { describe, expect, it } from '@jest/globals';

describe('a run', () => {
  it.each([1, 2])('is numbered %d', (generation) => {
    expect(generation).toBeGreaterThan(0);
  });
});
