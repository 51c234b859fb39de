export * from './spawn.controller.js';
export * from './spawn.queries.js';
export * from './spawn-detail.handler.js';
export * from './spawn-list.handler.js';
export * from './spawn-reader.js';
export * from './spawn-timeline.handler.js';
export * from './spawn-views.js';
export * from './read-agent-stops.js';
