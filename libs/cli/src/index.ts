export { EXIT, type ExitCode } from './exit-codes.js';
export { PATIENCE, type Io, type Patience, type Sink } from './io.js';
export { runInProcess } from './process-io.js';
export { run } from './program.js';
export { readServerEvents, type ServerEvent } from './server-events.js';
