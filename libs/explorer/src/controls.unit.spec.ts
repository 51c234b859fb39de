import { describe, expect, it } from '@jest/globals';
import {
  RUN_CONTROLS,
  SESSION_CONTROLS,
  exploreSessionWithout,
  exploreWithout,
} from './controls/index.js';
import type { Exploration } from './engine/index.js';

/** A bound for what hangs: the largest takes a few seconds on an idle machine. */
const TIMEOUT_MS = 120_000;
const nowMs = (): number => performance.now();

/** What an explorer says that finds nothing wrong is worth as much as what it says when a rule is missing. */
const breaks = (found: Exploration, name: string): void => {
  const trace = found.broken.find((one) => one.name === name)?.trace ?? [];
  expect(found.broken.map((one) => one.name)).toContain(name);
  expect(trace.length).toBeGreaterThan(0);
};

describe('one run, with a rule taken out', () => {
  it.each(RUN_CONTROLS.map((control) => [control.rule, control.breaks, control] as const))(
    'without "%s", %s is broken',
    (_rule, name, control) => {
      breaks(exploreWithout(control, nowMs), name);
    },
    TIMEOUT_MS,
  );
});

describe('one session, with a rule taken out', () => {
  it.each(SESSION_CONTROLS.map((control) => [control.rule, control.breaks, control] as const))(
    'without "%s", %s is broken',
    (_rule, name, control) => {
      breaks(exploreSessionWithout(control, nowMs), name);
    },
    TIMEOUT_MS,
  );
});
