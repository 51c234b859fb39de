export const workspace = process.env['WORKSPACE']; // refused
export const pid = process.pid; // refused
export const here = import.meta.url; // refused
