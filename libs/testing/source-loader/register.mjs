/**
 * Lets plain Node.js run the TypeScript sources, for tests that need a process of their own:
 * `node --conditions=holdfast-source --import <this file> some-program.ts`. The build does not contain it.
 */
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
