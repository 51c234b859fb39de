export { DEFAULT_BEHAVIOURS, type Behaviours } from './behaviours.js';
export { RECOVERY_PROMPT, type LedgerLine } from './protocol.js';
export { resumableSampleAdapter, sampleAdapterWith } from './sample.adapter.js';
export type { SampleConfig } from './sample.config.js';
export { sampleServerArgv } from './sample-server.js';
export { promptHash, readLedger } from './server/ledger.js';
export type { ServerOptions } from './server/server-options.js';
