export const submit = (now = Date.now()) => now; // refused
export const start = (now = new Date()) => now; // refused
export const measure = (from = performance.now()) => from; // refused
