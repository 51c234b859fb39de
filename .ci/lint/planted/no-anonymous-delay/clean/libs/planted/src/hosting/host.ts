/** Unit: milliseconds. */
const DRAIN_MAX_MS = 10_000;

export const run = (callback: () => void, windows: { readonly askMs: number }) => {
  setTimeout(callback, windows.askMs);
};
export const signal = AbortSignal.timeout(DRAIN_MAX_MS);
