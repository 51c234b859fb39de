import { describe, expect, it } from '@jest/globals';
import { BatchBuffer } from './batch-buffer.js';

const LONG_MS = 60_000;

describe('a buffer of batches', () => {
  it('gives a full batch at once, without lingering', async () => {
    const buffer = new BatchBuffer<number>(10);
    for (const item of [1, 2, 3]) await buffer.put(item);
    expect(await buffer.take(2, LONG_MS)).toStrictEqual([1, 2]);
  });

  it('lingers for more once there is something, and ends the linger when the batch is full', async () => {
    const buffer = new BatchBuffer<number>(10);
    const taking = buffer.take(2, LONG_MS);
    await buffer.put(1);
    await buffer.put(2);
    expect(await taking).toStrictEqual([1, 2]);
  });

  it('hands over what is there when the linger is over', async () => {
    const buffer = new BatchBuffer<number>(10);
    await buffer.put(1);
    expect(await buffer.take(5, 1)).toStrictEqual([1]);
  });

  it('makes a writer wait while it is full', async () => {
    const buffer = new BatchBuffer<number>(2);
    await buffer.put(1);
    await buffer.put(2);
    let isPut = false;
    const third = buffer.put(3).then(() => (isPut = true));
    await Promise.resolve();
    expect(isPut).toBe(false);
    expect(await buffer.take(2, 0)).toStrictEqual([1, 2]);
    await third;
    expect(await buffer.take(2, 0)).toStrictEqual([3]);
  });

  it('gives what is left after its end, then nothing', async () => {
    const buffer = new BatchBuffer<number>(2);
    await buffer.put(1);
    buffer.end();
    expect(await buffer.take(5, LONG_MS)).toStrictEqual([1]);
    expect(await buffer.take(5, LONG_MS)).toStrictEqual([]);
  });

  it('ends a wait for the first item too', async () => {
    const buffer = new BatchBuffer<number>(2);
    const taking = buffer.take(5, LONG_MS);
    buffer.end();
    expect(await taking).toStrictEqual([]);
  });
});
