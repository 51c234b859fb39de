export const isDue = (startBefore: number) => Date.now() > startBefore; // refused
