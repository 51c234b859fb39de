import { expect } from '@jest/globals';
import { COMMIT_BYTES_MAX } from '../commit-body.js';
import { AppendFailed, CommitTooLarge, InvalidCommit, RevisionConflict } from '../port/errors.js';
import type { AggregateRef, EventStore } from '../port/event-store.js';
import {
  appendChain,
  happened,
  request,
  someRef,
  type ConformanceCase,
  type EventStoreUnderTest,
} from './under-test.js';

const all = async (store: EventStore, ref: AggregateRef) =>
  store.read(ref, { consistency: 'leader' });

const roundTrip: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const metadata = {
    command: 'DoThing',
    actor: 'user:ada',
    causationId: 'caused by: 100 %',
    correlationId: ' spaced ',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  };
  const events = [happened('one'), { type: 'AlsoHappened', data: { nested: { list: [1, null] } } }];
  const commandId = 'kéy with spaces %20';
  const appended = await store.append(request(ref, commandId, { events, metadata }));
  expect(appended).toStrictEqual({
    revision: expect.any(Number),
    bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    repeated: false,
  });
  expect(await all(store, ref)).toStrictEqual([
    {
      ref,
      revision: appended.revision,
      previous: 0,
      commandId,
      bodyHash: appended.bodyHash,
      events,
      metadata,
      schema: 1,
      storedAt: expect.any(Number),
    },
  ]);
  expect(await all(store, someRef())).toStrictEqual([]);
};

const expectedSequence: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const [first] = await appendChain(store, ref, 2);
  const rivals = [0, first!, first! + 1_000];
  for (const [index, expected] of rivals.entries())
    await expect(
      store.append(request(ref, `rival-${String(index)}`, { expected })),
    ).rejects.toThrow(RevisionConflict);
  await expect(store.append(request(someRef(), 'x', { expected: 7 }))).rejects.toThrow(
    RevisionConflict,
  );
  expect((await all(store, ref)).map(({ commandId }) => commandId)).toStrictEqual(['c-1', 'c-2']);
};

const oneWinnerOf8: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const [expected] = await appendChain(store, ref, 1);
  const rivals = Array.from({ length: 8 }, (_, index) =>
    store.append(request(ref, `rival-${String(index)}`, { expected: expected! })),
  );
  const outcomes = await Promise.allSettled(rivals);
  const winners = outcomes.flatMap((o, i) => (o.status === 'fulfilled' ? [`rival-${i}`] : []));
  const losses = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason as unknown] : []));
  expect(losses.filter((loss) => !(loss instanceof RevisionConflict))).toStrictEqual([]);
  expect((await all(store, ref)).map((c) => c.commandId)).toStrictEqual(['c-1', ...winners]);
  expect(winners).toHaveLength(1);
};

/** The same command again: once right away, and once when another commit came after it. */
const repeatedInsideTheWindow: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const first = await store.append(request(ref, 'c-1'));
  const repeat = { ...first, repeated: true };
  expect(await store.append(request(ref, 'c-1'))).toStrictEqual(repeat);
  await store.append(request(ref, 'c-2', { expected: first.revision }));
  expect(await store.append(request(ref, 'c-1'))).toStrictEqual(repeat);
  expect((await all(store, ref)).map(({ commandId }) => commandId)).toStrictEqual(['c-1', 'c-2']);
};

const repeatedOutsideTheWindow: ConformanceCase = async ({ store, passDuplicateWindow }) => {
  const ref = someRef();
  const first = await store.append(request(ref, 'c-1'));
  const second = await store.append(request(ref, 'c-2', { expected: first.revision }));
  await passDuplicateWindow();
  const again = async (commandId: string, expected: number): Promise<number> =>
    (await store.append(request(ref, commandId, { expected }))).revision;
  await expect(again('c-1', 0)).resolves.toBe(first.revision);
  await expect(again('c-2', first.revision)).resolves.toBe(second.revision);
  expect((await all(store, ref)).map(({ commandId }) => commandId)).toStrictEqual(['c-1', 'c-2']);
};

const lostAcknowledgement: ConformanceCase = async (under) => {
  const { store } = under;
  const ref = someRef();
  await lose(under);
  const first = await settled(store.append(request(ref, 'c-1')));
  if (first instanceof Error) expect(unknownOutcome(first)).toBe('unknown');
  const retried = await store.append(request(ref, 'c-1'));
  const commits = await all(store, ref);
  expect(commits.map(({ commandId }) => commandId)).toStrictEqual(['c-1']);
  expect(retried.revision).toBe(commits[0]!.revision);
};

const lose = async (under: EventStoreUnderTest): Promise<void> => {
  if (under.loseNextAcknowledgement === undefined) throw new Error('nothing can be lost here');
  await under.loseNextAcknowledgement();
};

const settled = async <T>(promise: Promise<T>): Promise<T | Error> =>
  promise.catch((error: unknown) => error as Error);

const unknownOutcome = (error: Error): string =>
  error instanceof AppendFailed ? error.outcome : error.name;

/** Success would tell the second caller that its own content was stored. */
const otherContent: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  await store.append(request(ref, 'c-1'));
  const other = request(ref, 'c-1', { events: [happened('something else')] });
  await expect(store.append(other)).rejects.toThrow(RevisionConflict);
  const [commit, ...more] = await all(store, ref);
  expect(more).toStrictEqual([]);
  expect(commit!.events).toStrictEqual([happened('c-1')]);
};

const sizeBound: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const ofBytes = (bytes: number) => {
    const empty = JSON.stringify([{ type: 'Happened', data: { text: '' } }]).length;
    return [{ type: 'Happened', data: { text: 'x'.repeat(bytes - empty) } }];
  };
  const tooLarge = request(ref, 'large', { events: ofBytes(COMMIT_BYTES_MAX + 1) });
  await expect(store.append(tooLarge)).rejects.toThrow(CommitTooLarge);
  expect(await all(store, ref)).toStrictEqual([]);
  await store.append(request(ref, 'just-fits', { events: ofBytes(COMMIT_BYTES_MAX) }));
  expect(await all(store, ref)).toHaveLength(1);
};

const badReferences: ConformanceCase = async ({ store }) => {
  const good = someRef();
  const bad = ['', 'a.b', '*', '>', 'a b', 'ä', 'a\nb', 'x'.repeat(65)];
  for (const text of bad)
    for (const part of ['aggregate', 'workspace', 'id'] as const) {
      const ref = { ...good, [part]: text };
      await expect(store.append(request(ref, 'c-1'))).rejects.toThrow(InvalidCommit);
      await expect(store.read(ref, { consistency: 'any' })).rejects.toThrow(InvalidCommit);
    }
};

export const APPEND_CASES = {
  'round-trip': roundTrip,
  'expected-sequence': expectedSequence,
  'one-winner-of-8': oneWinnerOf8,
  'same-command-inside-the-window-is-one-commit': repeatedInsideTheWindow,
  'same-command-outside-the-window-is-one-commit': repeatedOutsideTheWindow,
  'lost-acknowledgement-then-retry-is-one-commit': lostAcknowledgement,
  'same-command-with-other-content-is-a-conflict': otherContent,
  'size-bound': sizeBound,
  'bad-references-are-refused': badReferences,
} as const;
