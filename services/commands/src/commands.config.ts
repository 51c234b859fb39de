import { loadConfig, readServiceConfig, type Environment, type ServiceConfig } from '#platform';

/** What a process of `commands` is told by its environment. */
export interface CommandsConfig extends ServiceConfig {
  /** The installation's secret: keys of workspaces are derived from it. */
  readonly secretFile: string;
  /** Tokens that are valid from the start. */
  readonly bootstrapTokensFile: string | undefined;
}

/** @throws InvalidConfiguration with every problem found. */
export const commandsConfig = (environment: Environment): Readonly<CommandsConfig> =>
  loadConfig(environment, (reader) => ({
    ...readServiceConfig(reader, 'commands'),
    secretFile: reader.text('HOLDFAST_SECRET_FILE'),
    bootstrapTokensFile: reader.optional('HOLDFAST_BOOTSTRAP_TOKENS'),
  }));
