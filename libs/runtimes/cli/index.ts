export { PLACEHOLDERS, type Placeholder } from './argv-template.js';
export { cliAdapter } from './cli.adapter.js';
export type { CliConfig } from './cli.config.js';
export { sampleAgentArgv, type SampleAgent } from './samples.js';
