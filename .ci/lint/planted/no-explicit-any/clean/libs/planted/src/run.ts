export const read = (value: unknown): string => String(value);
