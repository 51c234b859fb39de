export * from './spawn-task.entity.js';
export * from './spawn-view.entity.js';
export type { SpawnRow } from './spawn-view.row.js';
export * from './spawn.projector.js';
export * from './spawn.writer.js';
