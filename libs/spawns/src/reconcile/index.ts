export * from './open-spawns.js';
export * from './open-spawns.typeorm.js';
export * from './slot-accounts.js';
export * from './slot-accounts.typeorm.js';
export * from './spawn.reconciler.js';
