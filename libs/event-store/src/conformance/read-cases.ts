import { expect } from '@jest/globals';
import { EPOCH_REF } from '../ref.js';
import { appendChain, happened, request, someRef, type ConformanceCase } from './under-test.js';

const predecessorChain: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const other = someRef();
  const [first] = await appendChain(store, ref, 1);
  await appendChain(store, other, 2); // Between the commits of one subject lie those of others.
  const second = await store.append(request(ref, 'second', { expected: first! }));
  const third = await store.append(request(ref, 'third', { expected: second.revision }));
  for (const consistency of ['any', 'leader'] as const) {
    const commits = await store.read(ref, { consistency });
    expect(commits.map(({ revision, previous }) => [revision, previous])).toStrictEqual([
      [first, 0],
      [second.revision, first],
      [third.revision, second.revision],
    ]);
  }
};

const readAfter: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const revisions = await appendChain(store, ref, 3);
  const after = async (revision: number) =>
    (await store.read(ref, { consistency: 'leader', after: revision })).map((c) => c.revision);
  expect(await after(revisions[0]!)).toStrictEqual(revisions.slice(1));
  expect(await after(revisions[1]!)).toStrictEqual(revisions.slice(2));
  expect(await after(revisions[2]!)).toStrictEqual([]);
};

const newestSnapshot: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const revisions = await appendChain(store, ref, 5, (index) =>
    index === 1 || index === 3 ? { snapshot: { folded: index + 1 } } : {},
  );
  const commits = await store.read(ref, { consistency: 'leader' });
  expect(commits.map(({ revision }) => revision)).toStrictEqual(revisions.slice(3));
  expect(commits[0]!.snapshot).toStrictEqual({ folded: 4 });
  expect(commits[0]!.events).toStrictEqual([happened('c-4')]);
  expect(commits[1]).not.toHaveProperty('snapshot');
};

const withoutSnapshots: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const revisions = await appendChain(store, ref, 4, (index) =>
    index === 2 ? { snapshot: { folded: 3 } } : {},
  );
  const commits = await store.read(ref, { consistency: 'leader', ignoreSnapshots: true });
  expect(commits.map(({ revision }) => revision)).toStrictEqual(revisions);
};

const pointRead: ConformanceCase = async ({ store }) => {
  const ref = someRef();
  const [first, second] = await appendChain(store, ref, 2);
  const commits = await store.read(ref, { consistency: 'leader' });
  expect(await store.at(first!)).toStrictEqual(commits[0]);
  expect(await store.at(second!)).toStrictEqual(commits[1]);
  expect(await store.at((await store.end()) + 1_000)).toBeUndefined();
  expect(await store.at(0)).toBeUndefined();
};

const end: ConformanceCase = async ({ store }) => {
  const before = await store.end();
  const [, , last] = await appendChain(store, someRef(), 3);
  expect(await store.end()).toBe(last);
  expect(last).toBeGreaterThan(before);
};

const epoch: ConformanceCase = async (under) => {
  const { store } = under;
  const commits = await store.read(EPOCH_REF, { consistency: 'leader' });
  const current = await store.epoch();
  const events = [
    { type: 'StreamEpochStarted', data: { epoch: current + 1, restoredFrom: 'a backup', at: 1 } },
  ];
  const expected = commits[commits.length - 1]?.revision ?? 0;
  await store.append(request(EPOCH_REF, `epoch-${String(current + 1)}`, { expected, events }));
  expect(await (await under.reopened()).epoch()).toBe(current + 1);
};

export const READ_CASES = {
  'predecessor-chain': predecessorChain,
  'read-after-a-revision': readAfter,
  'read-starts-at-the-newest-snapshot': newestSnapshot,
  'read-without-snapshots': withoutSnapshots,
  'point-read': pointRead,
  end,
  epoch,
} as const;
