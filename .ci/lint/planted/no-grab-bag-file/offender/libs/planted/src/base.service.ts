export const first = 1; // refused
