import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

/** Work that ends when it is told to. */
const gated = () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
};

describe('turns', () => {
  it('keep work of one key apart, in the order in which it was asked for, and hold up no other key', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const first = gated();
    const one = turns.take('a', async () => {
      await first.ended;
      done.push('one');
    });
    const two = turns.take('a', () => Promise.resolve(done.push('two')));
    await turns.take('b', () => Promise.resolve(done.push('other')));
    expect(done).toEqual(['other']);
    first.end();
    await Promise.all([one, two]);
    expect(done).toEqual(['other', 'one', 'two']);
  });

  it('go on after work that failed, and hand on what each came to', async () => {
    const turns = new Turns();
    const failing = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('a', () => Promise.resolve(2));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe(2);
  });
});
