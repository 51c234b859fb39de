export * from './run-prompt.entity.js';
export * from './run-view.entity.js';
export type { RunRow } from './run-view.row.js';
export * from './run.projector.js';
export * from './run.writer.js';
