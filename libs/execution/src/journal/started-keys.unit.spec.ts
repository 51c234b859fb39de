import { describe, expect, it } from '@jest/globals';
import { StartedKeys } from './started-keys.js';

const keys = Array.from({ length: 20_000 }, (_, index) => `run-${index}`);

describe('started keys', () => {
  it('are known for ever, and no others', () => {
    const started = new StartedKeys();
    keys.forEach((key) => started.add(key));
    keys.forEach((key) => started.add(key));
    expect(started.size).toBe(keys.length);
    expect(keys.every((key) => started.has(key))).toBe(true);
    expect(keys.some((key) => started.has(`other-${key}`))).toBe(false);
  });

  it('come back from their texts', () => {
    const started = new StartedKeys();
    keys.slice(0, 3_000).forEach((key) => started.add(key));
    const again = new StartedKeys();
    for (const text of started.texts()) {
      expect(text).toHaveLength(22);
      again.addText(text);
    }
    expect(again.size).toBe(3_000);
    expect(keys.filter((key) => again.has(key))).toEqual(keys.slice(0, 3_000));
  });

  it('refuse a text that is no digest', () =>
    expect(() => new StartedKeys().addText('short')).toThrow('not a digest'));
});
