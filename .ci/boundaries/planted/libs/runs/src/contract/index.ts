export type RunId = string;
