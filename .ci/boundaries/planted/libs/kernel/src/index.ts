export const instant = (milliseconds: number) => milliseconds;
