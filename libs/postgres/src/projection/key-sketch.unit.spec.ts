import { describe, expect, it } from '@jest/globals';
import { KeySketch } from './key-sketch.js';

const keys = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `["main","run-${from + n}"]`);

describe('a sketch of keys', () => {
  it('knows each key that was added, and takes few others for one', () => {
    const sketch = new KeySketch();
    expect(keys(0, 1_000).some((key) => sketch.mayHave(key))).toBe(false);
    for (const key of keys(0, 100_000)) sketch.add(key);
    expect(keys(0, 100_000).every((key) => sketch.mayHave(key))).toBe(true);
    expect(keys(1_000_000, 10_000).filter((key) => sketch.mayHave(key)).length).toBeLessThan(200);
  });

  it('takes every key for a known one once it was told to', () => {
    const sketch = new KeySketch();
    sketch.addAll();
    expect(sketch.mayHave('any')).toBe(true);
  });
});
