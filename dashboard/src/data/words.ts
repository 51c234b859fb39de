/** How long something took, in the one or two units that matter. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${String(Math.max(0, Math.round(ms)))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 10) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${String(hours)} h ${String(minutes % 60)} min`;
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
};

/** How long ago, in one unit. */
export const ago = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${String(seconds)} s ago`;
  if (seconds < 3_600) return `${String(Math.floor(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3_600))} h ago`;
  return `${String(Math.floor(seconds / 86_400))} d ago`;
};

export const size = (bytes: number): string => {
  if (bytes < 1_024) return `${String(bytes)} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
};

/** `RunOutcomeUnknown` as people say it: `Outcome unknown`. Names that are not known yet read well too. */
export const eventName = (type: string): string => {
  const words = type
    .replace(/^(Run|Spawn)(?=[A-Z])/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/;

/** A sentence in pieces: every second one is the id of a run or session in it. */
export const splitAtIds = (sentence: string): readonly string[] =>
  sentence.split(new RegExp(`(${UUID.source})`));

/** The beginning of an id: enough to tell it from others on one page. */
export const shortId = (id: string): string => id.slice(0, 8);
