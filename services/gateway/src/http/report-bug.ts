/** Tells the log of an error that nobody expected, with the request that met it. */
export type ReportBug = (error: unknown, requestId: string) => void;
export const REPORT_BUG = Symbol('ReportBug');
