export * from './windows.js';
