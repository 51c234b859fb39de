export * from './access.controller.js';
