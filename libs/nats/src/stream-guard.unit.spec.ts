import { describe, expect, it } from '@jest/globals';
import {
  StoreUnavailable,
  type EventStore,
  type Revision,
  type StreamDiverged,
} from '#event-store';
import { waitUntil } from '#testing';
import type { NatsLink } from './connection.js';
import { StreamGuard } from './stream-guard.js';

/** A connection that breaks and comes back on demand. */
class BreakableLink {
  private readonly lost: (() => void)[] = [];
  private readonly restored: (() => void)[] = [];
  onDisconnect(callback: () => void): () => void {
    this.lost.push(callback);
    return () => undefined;
  }
  onReconnect(callback: () => void): () => void {
    this.restored.push(callback);
    return () => undefined;
  }
  break(): void {
    for (const callback of this.lost) callback();
  }
  comeBack(): void {
    for (const callback of this.restored) callback();
  }
}

/** A stream that says what it holds, and only while it is open. */
class Stream {
  hashes: string[] = [];
  readonly asked: Revision[] = [];
  away = false;
  async epoch(): Promise<number> {
    if (this.away) throw new StoreUnavailable('away');
    return 1;
  }
  async end(): Promise<Revision> {
    return this.hashes.length;
  }
  async at(revision: Revision): Promise<{ bodyHash: string } | undefined> {
    this.asked.push(revision);
    const bodyHash = this.hashes[revision - 1];
    return bodyHash === undefined ? undefined : { bodyHash };
  }
}

const guarded = async () => {
  const link = new BreakableLink();
  const stream = new Stream();
  const reports: StreamDiverged[] = [];
  const guard = new StreamGuard(stream as unknown as EventStore, link as unknown as NatsLink, {
    onDiverged: (error) => reports.push(error),
  });
  await guard.start();
  const append = (hash: string): void => {
    stream.hashes.push(hash);
    guard.seen(stream.hashes.length, hash);
  };
  return { link, stream, guard, reports, append };
};

/** Sees `a`, then a break; sees `b` before anybody could look, then another break; after it the stream can be read again. */
const afterTwoBreaks = async (
  streamAfter: { readonly first?: string[]; readonly second?: string[] } = {},
) => {
  const world = await guarded();
  const { link, stream, append } = world;
  append('a');
  link.break();
  stream.away = true;
  stream.hashes = streamAfter.first ?? stream.hashes;
  link.comeBack();
  append('b');
  link.break();
  stream.hashes = streamAfter.second ?? stream.hashes;
  link.comeBack();
  stream.away = false;
  return world;
};

describe('a guard whose connection breaks again while it is still looking', () => {
  it('looks also for what was seen between the two breaks', async () => {
    const { guard, reports } = await afterTwoBreaks({ second: ['a'] });
    await waitUntil('the report', () => reports.length > 0);
    expect(reports[0]!.message).toContain('ends at 1, but 2');
    guard.stop();
  });

  it('still looks for what was seen before the first, when the stream has grown meanwhile', async () => {
    const { guard, reports } = await afterTwoBreaks({ first: ['z'] });
    await waitUntil('the report', () => reports.length > 0);
    expect(reports[0]!.message).toContain('commit 1 is z, a was seen');
    guard.stop();
  });

  it('is quiet when all of it is there', async () => {
    const { guard, stream, reports } = await afterTwoBreaks();
    await waitUntil('both to be looked for', () => stream.asked.length >= 2);
    expect(stream.asked).toStrictEqual([1, 2]);
    expect(reports).toStrictEqual([]);
    guard.stop();
  });
});
