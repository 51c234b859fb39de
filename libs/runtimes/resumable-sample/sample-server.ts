import { ownProgram } from '#runtimes';
import type { ServerOptions } from './server/server-options.js';

/** Command line of a sample runtime that runs on its own. It says `ready` on standard output when it listens. */
export const sampleServerArgv = (options: ServerOptions): readonly [string, ...string[]] => [
  ...ownProgram('./server/server', import.meta.url),
  JSON.stringify(options),
];
