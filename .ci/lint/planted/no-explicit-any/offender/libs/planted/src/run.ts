export const read = (value: any): string => String(value); // refused
