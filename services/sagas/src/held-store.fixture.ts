import { randomUUID } from 'node:crypto';
import type { EventStore } from '#event-store';

/** Somebody's view of the event store, in which one append is held up. */
export interface HeldStore {
  readonly store: EventStore;
  /** Settles when whoever uses it has decided, and is about to write. */
  readonly reached: Promise<void>;
  /** Lets it write. */
  open(): void;
}

/** Holds the first append of such an event up between the look that it was decided on and its write. */
export const heldBefore = (events: EventStore, type: string): HeldStore => {
  const reached = gate();
  const opened = gate();
  let isFirst = true;
  const store = withAppend(events, async (request) => {
    if (isFirst && request.events.some((event) => event.type === type)) {
      isFirst = false;
      reached.open();
      await opened.passed;
    }
    return events.append(request);
  });
  return { store, reached: reached.passed, open: opened.open };
};

/** The store without its fence: writes whatever was decided, after whatever stands there by now. */
export const withoutExpected = (events: EventStore): EventStore =>
  withAppend(events, async (request) => {
    const options = { consistency: 'leader', ignoreSnapshots: true } as const;
    const commits = await events.read(request.ref, options);
    const expected = commits.at(-1)?.revision ?? 0;
    return events.append({ ...request, expected, commandId: randomUUID() });
  });

/** Passed by all as soon as it was opened once. */
const gate = (): { readonly passed: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    passed,
    open: () => {
      open();
    },
  };
};

const withAppend = (events: EventStore, append: EventStore['append']): EventStore => ({
  append,
  read: (ref, options) => events.read(ref, options),
  at: (revision) => events.at(revision),
  end: (atLeast) => events.end(atLeast),
  epoch: () => events.epoch(),
});
