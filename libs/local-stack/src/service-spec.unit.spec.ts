import { describe, it, expect } from '@jest/globals';
import { serviceEnvironment, type StackSettings } from './service-spec.js';
import { SERVICES, type ServiceName } from './service-table.js';

const settings: StackSettings = {
  checkout: '/checkout',
  home: '/home',
  databaseUrl: 'postgres://holdfast:secret@127.0.0.1:1/holdfast',
  secretFile: '/home/secret.key',
  bootstrapFile: '/home/bootstrap-tokens.json',
  port: 7420,
  synced: true,
  windows: '{"leaseMs":600}',
  logLevel: 'info',
  streamReplicas: 1,
  environment: {
    PATH: '/bin',
    ANTHROPIC_API_KEY: 'key',
    NODE_OPTIONS: '--inspect',
    HOLDFAST_PORT: '1',
    DATABASE_URL: 'postgres://ours',
    NATS_URL: 'nats://ours',
    npm_config_cache: '/cache',
  },
};

const environmentOf = (name: ServiceName): Readonly<Record<string, string>> => {
  const entry = SERVICES.find((one) => one.name === name);
  if (entry === undefined) throw new Error(`no service ${name}`);
  return serviceEnvironment({ entry, name, natsUrl: `nats://${name}` }, settings);
};

const given = (variable: string): readonly ServiceName[] =>
  SERVICES.map(({ name }) => name).filter((name) => variable in environmentOf(name));

describe('the environment of a service', () => {
  it('holds what a service is told, whatever our own says', () => {
    expect(environmentOf('commands')).toEqual({
      PATH: '/bin',
      NODE_COMPILE_CACHE: '/home/compiled',
      HOLDFAST_HOME: '/home',
      HOLDFAST_PROCESS_NAME: 'commands',
      HOLDFAST_METRICS_PORT: '0',
      HOLDFAST_REPLICAS: '1',
      HOLDFAST_NATS_SYNC: 'always',
      HOLDFAST_WINDOWS: '{"leaseMs":600}',
      HOLDFAST_SECRET_FILE: '/home/secret.key',
      HOLDFAST_BOOTSTRAP_TOKENS: '/home/bootstrap-tokens.json',
      LOG_LEVEL: 'info',
      NATS_URL: 'nats://commands',
    });
  });

  it('tells where the database is only to those that use it', () =>
    expect(given('DATABASE_URL')).toEqual(['projector', 'queries', 'reconciler']));

  it('tells our secret, and which tokens are valid from the start, only to commands', () => {
    expect(given('HOLDFAST_SECRET_FILE')).toEqual(['commands']);
    expect(given('HOLDFAST_BOOTSTRAP_TOKENS')).toEqual(['commands']);
  });

  it('passes on what is ours only to the node-agent, whose agents may need it', () =>
    expect(given('ANTHROPIC_API_KEY')).toEqual(['node-agent']));

  it('never passes on what steers this process', () => {
    expect(given('NODE_OPTIONS')).toEqual([]);
    expect(given('npm_config_cache')).toEqual([]);
    expect(environmentOf('node-agent')).toMatchObject({ NATS_URL: 'nats://node-agent' });
    expect(given('HOLDFAST_PORT')).toEqual(['gateway']);
  });
});
