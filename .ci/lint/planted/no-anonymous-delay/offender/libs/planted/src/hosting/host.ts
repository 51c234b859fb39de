export const run = (callback: () => void) => {
  setTimeout(callback, 5000); // refused
  setInterval(callback, 1_000); // refused
};
export const signal = AbortSignal.timeout(250); // refused
