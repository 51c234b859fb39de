import { summaryOf, type Measure } from './measures.js';
import { ms } from './soak.page.js';
import type { SoakReport } from './report.js';

/** What we can say of a reference figure. Nothing is measured unless the report at hand holds the samples. */
export type Ours =
  | {
      readonly kind: 'measured';
      readonly value: string;
      /** Null: there is nothing to be better than. */
      readonly met: boolean | null;
    }
  | { readonly kind: 'not-measured'; readonly why: string }
  /** Shown by something else than this soak. */
  | { readonly kind: 'elsewhere'; readonly where: string }
  | { readonly kind: 'no-such-part'; readonly why: string };

export interface HeadlineRow {
  readonly id: string;
  readonly figure: string;
  readonly reference: string;
  readonly goal: string;
  readonly ours: (report: SoakReport) => Ours;
}

export const measured = (value: string, met: boolean | null): Ours => ({
  kind: 'measured',
  value,
  met,
});
export const elsewhere = (where: string) => (): Ours => ({ kind: 'elsewhere', where });
export const noSuchPart = (why: string) => (): Ours => ({ kind: 'no-such-part', why });
const notMeasured = (why: string): Ours => ({ kind: 'not-measured', why });

/** The worst sample of these measures decides; the median is shown beside it. */
export const timed =
  (names: readonly (Measure | RegExp)[], maxMs: number | null) =>
  ({ measures }: SoakReport): Ours => {
    const chosen = Object.entries(measures).filter(([name]) =>
      names.some((wanted) => (typeof wanted === 'string' ? wanted === name : wanted.test(name))),
    );
    const summary = summaryOf(chosen.flatMap(([, samples]) => samples));
    if (summary === undefined) return notMeasured('not timed in this run');
    const value = `median ${ms(summary.median)}, worst ${ms(summary.worst)} of ${summary.n}`;
    return measured(value, maxMs === null ? null : summary.worst <= maxMs);
  };

/** As {@link timed}, by the 99th percentile. */
export const timedP99 =
  (names: readonly Measure[], maxMs: number) =>
  ({ measures }: SoakReport): Ours => {
    const parts = names.flatMap((name) => {
      const summary = summaryOf(measures[name] ?? []);
      return summary === undefined ? [] : [{ name, summary }];
    });
    if (parts.length < names.length) return notMeasured('not timed in this run');
    return measured(
      parts
        .map(({ name, summary }) => `${name.replace('error.', '')}: p99 ${ms(summary.p99)}`)
        .join(', '),
      parts.every(({ summary }) => summary.p99 <= maxMs),
    );
  };

/** A window that was in force while deaths were timed. */
export const windowed =
  (name: string, maxMs: number, factor?: string) =>
  ({ timing }: SoakReport): Ours => {
    const window = timing?.windows[name];
    if (window === undefined) return notMeasured('not timed in this run');
    const times = factor === undefined ? 1 : (timing?.windows[factor] ?? Number.NaN);
    const whole = window * times;
    return measured(
      times === 1 ? ms(window) : `${times} × ${ms(window)} = ${ms(whole)}`,
      whole <= maxMs,
    );
  };

/** Something that the rounds counted. */
export const counted =
  (of: (report: SoakReport) => { readonly value: string; readonly met: boolean | null }) =>
  (report: SoakReport): Ours => {
    if (report.rounds.length === 0) return notMeasured('no rounds in this run');
    const { value, met } = of(report);
    return measured(value, met);
  };

export const killsOf = ({ rounds }: SoakReport): number =>
  rounds.reduce((sum, { kills }) => sum + kills, 0);

/** Runs whose prompt was received more than once. */
export const doublesOf = ({ rounds }: SoakReport): number =>
  rounds.flatMap(({ sends }) => sends.slice(2)).reduce((sum, n) => sum + n, 0);

/** Runs that were open when a process other than their own program was killed. */
export const openAtKillsOf = ({ rounds }: SoakReport): number =>
  rounds
    .flatMap(({ hits }) => hits)
    .filter(
      ({ process, state }) =>
        process !== 'program' &&
        process !== 'shim' &&
        ['queued', 'dispatched', 'running', 'stopping', 'unknown'].includes(state),
    ).length;
