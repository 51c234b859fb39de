export * from './node-view.entity.js';
export type { NodeRow, SlotRow } from './node-view.row.js';
export * from './node.projector.js';
export * from './node.writer.js';
export * from './slot-view.entity.js';
