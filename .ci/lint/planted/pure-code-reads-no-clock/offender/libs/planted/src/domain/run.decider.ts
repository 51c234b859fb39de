export const since = Date.now(); // refused
export const today = new Date(); // refused
export const text = Date(); // refused
export const precise = performance.now(); // refused
export const later = (callback: () => void, delayMs: number) => {
  setTimeout(callback, delayMs); // refused
};
