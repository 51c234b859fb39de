import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { APPEND_CASES } from './append-cases.js';
import { FEED_CASES } from './feed-cases.js';
import { READ_CASES } from './read-cases.js';
import type { ConformanceCase, EventStoreUnderTest } from './under-test.js';

const ALL = { ...APPEND_CASES, ...READ_CASES, ...FEED_CASES } as const;

export type EventStoreCase = keyof typeof ALL;

/** What an event store promises: one case each. */
export const EVENT_STORE_CASES = Object.keys(ALL) as readonly EventStoreCase[];

export interface ConformanceOptions {
  /** Cases that this adapter can't be put through, each with the reason. */
  readonly leftOut?: { readonly [Case in EventStoreCase]?: string };
  /** A negative control: the store is broken in one way, and exactly this case must notice. */
  readonly breaks?: EventStoreCase;
  /** A bound for broken code, not an expectation. Default 60,000 ms. */
  readonly timeoutMs?: number;
}

/**
 * Runs the contract of the event store's port, its feeds and its subscriptions over an adapter.
 *
 * @param under makes the adapter; called once for all cases, which use aggregates of their own.
 */
export const describeEventStore = (
  name: string,
  under: () => EventStoreUnderTest | Promise<EventStoreUnderTest>,
  options: ConformanceOptions = {},
): void => {
  describe(`event store: ${name}`, () => {
    let underTest: EventStoreUnderTest;
    beforeAll(async () => {
      underTest = await under();
    }, options.timeoutMs ?? 60_000);
    afterAll(async () => {
      await underTest?.close();
    });
    for (const theCase of EVENT_STORE_CASES) {
      if (options.leftOut?.[theCase] !== undefined) continue;
      const run: ConformanceCase = ALL[theCase];
      const isCaught = options.breaks === theCase;
      it(
        isCaught ? `is caught by ${theCase}` : theCase,
        async () => {
          if (isCaught) await expect(verdictOf(run, underTest)).resolves.toBe('broken');
          else await run(underTest);
        },
        options.timeoutMs ?? 60_000,
      );
    }
  });
};

/** Whether a case found its promise broken. A case that itself goes wrong has not found anything. */
const verdictOf = async (
  run: ConformanceCase,
  underTest: EventStoreUnderTest,
): Promise<'kept' | 'broken'> => {
  try {
    await run(underTest);
    return 'kept';
  } catch (error) {
    if (error instanceof Error && /^expect\(|^waited \d+ ms/.test(plain(error.message)))
      return 'broken';
    throw error;
  }
};

/** Without terminal colours. */
// eslint-disable-next-line no-control-regex -- they are control characters
const plain = (text: string): string => text.replace(/\u001b\[\d+m/g, '');
