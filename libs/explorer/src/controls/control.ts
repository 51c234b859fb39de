import type { RunProperty, RunBounds, RunRules, RunShell } from '../runs/index.js';

/** One rule taken out of the real ones, by a wrapper around them, and what that must break. */
export interface RunControl {
  /** The rule, in words. */
  readonly rule: string;
  readonly breaks: RunProperty;
  readonly bounds?: Partial<RunBounds>;
  readonly shell?: Partial<RunShell>;
  /** The rules without it; the real ones are given, never copied. */
  readonly without?: (rules: RunRules) => Partial<RunRules>;
}
