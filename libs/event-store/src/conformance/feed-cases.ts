import { expect } from '@jest/globals';
import { waitUntil } from '#testing';
import type { Commit, Delivery } from '../port/event-store.js';
import {
  appendChain,
  patienceOf,
  request,
  someRef,
  someWorkspace,
  type ConformanceCase,
  type EventStoreUnderTest,
} from './under-test.js';

/** Reads batches until `isEnough`, or until patience ends: what is missing then shows in what was gathered. */
const gather = async (
  under: EventStoreUnderTest,
  options: { after: number; aggregates?: string[]; batchMax?: number; lingerMs?: number },
  isEnough: (commits: readonly Commit[]) => boolean,
): Promise<{ commits: Commit[]; sizes: number[] }> => {
  const reading = new AbortController();
  const patience = setTimeout(() => reading.abort(), patienceOf(under));
  const commits: Commit[] = [];
  const sizes: number[] = [];
  const following = { batchMax: 100, lingerMs: 1, ...options, signal: reading.signal };
  for await (const batch of under.feed.follow(following)) {
    commits.push(...batch);
    sizes.push(batch.length);
    if (isEnough(commits)) break;
  }
  clearTimeout(patience);
  reading.abort();
  return { commits, sizes };
};

/** A position in the stream that lies before everything that the case appends. */
const mark = async ({ store }: EventStoreUnderTest): Promise<number> =>
  (await store.append(request(someRef(), 'mark'))).revision;

const ascending = (a: number, b: number): number => a - b;

const revisionsOf = (commits: readonly Commit[]): number[] => commits.map((c) => c.revision);

/** Several subjects, interleaved: the order is the stream's, and starts right after the position. */
const feedOrder: ConformanceCase = async (under) => {
  const start = await mark(under);
  const refs = [someRef(), someRef(), someRef()];
  const appended: number[] = [];
  for (const index of [0, 1, 2, 3])
    for (const ref of refs) {
      const expected = index === 0 ? 0 : appended[appended.length - refs.length]!;
      const commit = request(ref, `c-${String(index)}`, { expected });
      appended.push((await under.store.append(commit)).revision);
    }
  const last = appended[appended.length - 1]!;
  const isAll = (commits: readonly Commit[]) => commits.some(({ revision }) => revision >= last);
  const { commits } = await gather(under, { after: start }, isAll);
  expect(revisionsOf(commits)).toStrictEqual(appended);
  const middle = appended[4]!;
  const rest = await gather(under, { after: middle }, isAll);
  expect(revisionsOf(rest.commits)).toStrictEqual(appended.slice(5));
  expect(rest.commits[0]).toStrictEqual(await under.store.at(appended[5]!));
};

/** What is appended while the feed is being read, by several writers at once, comes too. */
const feedHasNoGap: ConformanceCase = async (under) => {
  const start = await mark(under);
  const refs = Array.from({ length: 6 }, () => someRef());
  const writing = Promise.all(refs.map((ref) => appendChain(under.store, ref, 10)));
  const { commits } = await gather(under, { after: start }, (all) => all.length >= 60);
  const appended = (await writing).flat().sort(ascending);
  expect(revisionsOf(commits).sort(ascending)).toStrictEqual(appended);
};

const feedBatches: ConformanceCase = async (under) => {
  const start = await mark(under);
  await appendChain(under.store, someRef(), 10);
  const { sizes } = await gather(
    under,
    { after: start, batchMax: 4, lingerMs: 50 },
    (all) => all.length >= 10,
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
};

const feedOfAggregates: ConformanceCase = async (under) => {
  const start = await mark(under);
  const workspace = someWorkspace();
  const refs = ['cat', 'dog', 'cow', 'dog', 'cat'].map((aggregate, index) => ({
    aggregate,
    workspace,
    id: `n-${String(index)}`,
  }));
  for (const ref of refs) await under.store.append(request(ref, 'born'));
  const idsOf = (commits: readonly Commit[]) => commits.map(({ ref }) => ref.id).sort();
  const cats = await gather(under, { after: start, aggregates: ['cat'] }, (c) => c.length === 2);
  expect(idsOf(cats.commits)).toStrictEqual(['n-0', 'n-4']);
  const both = await gather(
    under,
    { after: start, aggregates: ['dog', 'cow'] },
    (c) => c.length === 3,
  );
  expect(idsOf(both.commits)).toStrictEqual(['n-1', 'n-2', 'n-3']);
};

/** A subscription of one case: its own durable name and its own kind of aggregate. */
const someSubscription = () => {
  const aggregate = `s${someWorkspace()}`;
  return { aggregate, durable: `durable-${aggregate}`, ref: someRef(aggregate) };
};

/** The first two deliveries fail: one handler throws, one asks for later. */
const redelivers: ConformanceCase = async (under) => {
  const { store, replicas } = under;
  const { aggregate, durable, ref } = someSubscription();
  const counts: number[] = [];
  let settled = 0;
  const handle = async (delivery: Delivery): Promise<void> => {
    counts.push(delivery.deliveryCount);
    if (counts.length === 1) throw new Error('the handler failed');
    if (counts.length === 2) {
      delivery.later(10);
      return;
    }
    await delivery.done();
    settled += 1;
  };
  const subscription = await replicas[0].subscribe({ durable, aggregate, concurrency: 1, handle });
  try {
    await store.append(request(ref, 'c-1'));
    await waitUntil('the commit is done', () => settled === 1, patienceOf(under));
    await store.append(request({ ...ref, id: 'a-2' }, 'c-1'));
    await waitUntil('the next one is done', () => settled === 2, patienceOf(under));
    expect(counts).toStrictEqual([1, 2, 3, 1]); // What was done did not come again.
  } finally {
    await subscription.stop();
  }
};

/** Both replicas work at the same time, on different commits, and nothing is done twice. */
const shares: ConformanceCase = async (under) => {
  const { store, replicas } = under;
  const { aggregate, durable, ref } = someSubscription();
  const handled: [replica: number, id: string][] = [];
  const busy = new Set<number>();
  let wereBothBusy = false;
  const subscriptions = await Promise.all(
    replicas.map((replica, index) =>
      replica.subscribe({
        durable,
        aggregate,
        concurrency: 1,
        handle: async (delivery) => {
          busy.add(index);
          wereBothBusy ||= busy.size === 2;
          handled.push([index, delivery.commit.ref.id]);
          if (!wereBothBusy)
            await waitUntil('both are busy', () => wereBothBusy, patienceOf(under));
          await delivery.done();
          busy.delete(index);
        },
      }),
    ),
  );
  try {
    const ids = Array.from({ length: 16 }, (_, index) => `a-${String(index)}`);
    for (const id of ids) await store.append(request({ ...ref, id }, 'c-1'));
    await waitUntil('all are handled', () => handled.length >= ids.length, patienceOf(under));
    expect(handled.map(([, id]) => id).sort()).toStrictEqual(ids.sort());
  } finally {
    await Promise.all(subscriptions.map(async (one) => one.stop()));
  }
};

/** A saga is told of its own kind of aggregate alone, also of what happened before it was first subscribed. */
const onlyItsOwn: ConformanceCase = async (under) => {
  const { store, replicas } = under;
  const { aggregate, durable, ref } = someSubscription();
  await store.append(request(ref, 'before'));
  await store.append(request(someRef(), 'foreign'));
  const seen: string[] = [];
  const subscription = await replicas[0].subscribe({
    durable,
    aggregate,
    concurrency: 4,
    handle: async (delivery) => {
      seen.push(delivery.commit.commandId);
      await delivery.done();
    },
  });
  try {
    await store.append(request(someRef(), 'foreign'));
    await store.append(request({ ...ref, id: 'a-2' }, 'after'));
    await waitUntil('the last one is seen', () => seen.includes('after'), patienceOf(under));
    expect(seen).toStrictEqual(['before', 'after']);
  } finally {
    await subscription.stop();
  }
};

export const FEED_CASES = {
  'feed-keeps-the-order-from-a-position': feedOrder,
  'feed-has-no-gap': feedHasNoGap,
  'feed-batches-are-bounded': feedBatches,
  'feed-of-some-aggregates': feedOfAggregates,
  'subscription-redelivers-what-was-not-done': redelivers,
  'subscription-shares-among-replicas': shares,
  'subscription-is-of-one-aggregate': onlyItsOwn,
} as const;
