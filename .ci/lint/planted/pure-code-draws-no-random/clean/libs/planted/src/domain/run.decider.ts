export const largest = (left: number, right: number) => Math.max(left, right);
