/** What the runtime and the metrics library count of every process; the dashboard shows the few that matter. */
const OF_EVERY_PROCESS = /^holdfast_(process|nodejs)_/;
/** What a histogram or summary adds to its name. */
const SUFFIX = /_(bucket|sum|count)$/;

/** Metrics that an exposition offers, with or without a sample. */
export const exposedIn = (exposition: string): ReadonlySet<string> =>
  new Set([...exposition.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));

/** Those of them that are made here. */
export const ownAmong = (exposed: ReadonlySet<string>): readonly string[] =>
  [...exposed].filter((name) => name.startsWith('holdfast_') && !OF_EVERY_PROCESS.test(name));

/**
 * Metrics that a dashboard or rules name, in any of their expressions.
 *
 * @param exposed tells a histogram's parts (`x_count`) from a metric whose own name ends like that.
 */
export const namedIn = (text: string, exposed: ReadonlySet<string>): readonly string[] => {
  const names = [...text.matchAll(/\bholdfast_[a-z0-9_]+/g)].map(([name]) => name);
  return [...new Set(names.map((name) => (exposed.has(name) ? name : name.replace(SUFFIX, ''))))];
};

/** Named, and not exposed by any service: a panel that stays empty, or an alert that never fires. */
export const missingFrom = (exposed: ReadonlySet<string>, text: string): readonly string[] =>
  namedIn(text, exposed).filter((name) => !exposed.has(name));
