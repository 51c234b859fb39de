import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_WINDOWS,
  InvalidConfiguration,
  Metrics,
  ReadinessBoard,
  createLogger,
  loadConfig,
  readServiceConfig,
} from './index.js';

describe('a configuration', () => {
  it('has working defaults', () => {
    const config = loadConfig({ NATS_URL: 'nats://127.0.0.1:4222' }, (reader) =>
      readServiceConfig(reader, 'commands'),
    );
    expect(config).toEqual({
      service: 'commands',
      processName: 'commands',
      instance: config.instance,
      home: '.holdfast',
      natsUrl: 'nats://127.0.0.1:4222',
      metricsHost: '127.0.0.1',
      metricsPort: 0,
      logLevel: 'info',
      windows: DEFAULT_WINDOWS,
      replicas: 1,
      declaredSync: undefined,
      tracing: { kind: 'off' },
    });
    expect(config.instance).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('reports all of its problems together, and no value', () => {
    const environment = {
      HOLDFAST_METRICS_PORT: '70000',
      HOLDFAST_REPLICAS: 'secret',
      LOG_LEVEL: 'loud',
      HOLDFAST_WINDOWS: '{"leaseMs": 1}',
    };
    let problems: readonly string[] = [];
    try {
      loadConfig(environment, (reader) => readServiceConfig(reader, 'commands'));
    } catch (error) {
      if (!(error instanceof InvalidConfiguration)) throw error;
      ({ problems } = error);
    }
    expect(problems).toEqual([
      'NATS_URL is missing',
      'HOLDFAST_METRICS_PORT must be a whole number from 0 to 65535',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'HOLDFAST_WINDOWS: HOLDFAST_WINDOWS: leaseMs is 1, allowed are 300 to 60000',
      'HOLDFAST_REPLICAS must be a whole number from 1 to 5',
    ]);
  });
});

describe('a log', () => {
  it('never holds prompts, outputs or tokens', () => {
    const lines: string[] = [];
    const logger = createLogger(
      { service: 'commands', instance: 'commands-1', logLevel: 'info' },
      { write: (line) => void lines.push(line) },
    );
    logger.info(
      {
        runId: 'r1',
        prompt: 'SECRET',
        request: { prompt: 'SECRET', deeper: { authorization: 'SECRET' } },
        token: 'SECRET',
      },
      'said',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('SECRET');
    const said = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(said['runId']).toBe('r1');
    expect(said['service']).toBe('commands');
    expect(said['instance']).toBe('commands-1');
  });
});

describe('readiness', () => {
  it('is having everything, and not leaving', async () => {
    const board = new ReadinessBoard();
    let ok = false;
    board.set('nats', () => ({ ok, detail: 'a broker' }));
    expect(await board.look()).toEqual({
      ready: false,
      checks: { nats: { ok: false, detail: 'a broker' } },
    });
    ok = true;
    expect((await board.look()).ready).toBe(true);
    board.leave();
    expect(await board.look()).toEqual({
      ready: false,
      checks: {
        nats: { ok: true, detail: 'a broker' },
        lifecycle: { ok: false, detail: 'shutting down' },
      },
    });
  });

  it('takes a check that fails, or never answers, for not ready', async () => {
    const board = new ReadinessBoard();
    board.set('broken', () => {
      throw new Error('no such thing');
    });
    board.set('silent', () => new Promise<never>(() => undefined));
    expect(await board.look()).toEqual({
      ready: false,
      checks: {
        broken: { ok: false, detail: 'no such thing' },
        silent: { ok: false, detail: 'no answer in time' },
      },
    });
  });
});

describe('metrics', () => {
  it('are the same when asked for again', async () => {
    const metrics = new Metrics('commands');
    metrics.counter('things_total', 'Things.', ['kind']).inc({ kind: 'a' });
    metrics.counter('things_total', 'Things.', ['kind']).inc({ kind: 'a' });
    expect((await metrics.exposition()).text).toContain(
      'holdfast_things_total{kind="a",service="commands"} 2',
    );
  });
});
