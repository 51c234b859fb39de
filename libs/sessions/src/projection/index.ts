export * from './session-view.entity.js';
export type { SessionRow } from './session-view.row.js';
export * from './session.projector.js';
export * from './session.writer.js';
