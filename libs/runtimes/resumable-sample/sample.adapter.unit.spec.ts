import { describe, expect, it } from '@jest/globals';
import type { AttemptEvidence, Receipt, WorkOrder } from '#runtimes';
import { DEFAULT_BEHAVIOURS, validateBehaviours } from './behaviours.js';
import { sampleAdapterWith } from './sample.adapter.js';
import type { SampleConfig } from './sample.config.js';
import { fateOf } from './server/fate.js';
import { scriptOf } from './server/script.js';
import { RECOVERY_PROMPT } from './protocol.js';

const adapter = sampleAdapterWith(['node', 'driver.js']);
const problems = (raw: unknown): readonly string[] => {
  const checked = adapter.validateConfig(raw);
  return checked.ok ? [] : checked.problems;
};
const config = ((): SampleConfig => {
  const checked = adapter.validateConfig({ socket: '/run/sample.sock', timeLimitMs: 5_000 });
  if (!checked.ok) throw new Error('the test’s own configuration is wrong');
  return checked.config;
})();

describe('the configuration of an agent on the sample runtime', () => {
  it('names a server, or a folder for one', () => {
    expect(config).toEqual({
      server: { kind: 'shared', socket: '/run/sample.sock' },
      readBackByKey: true,
      connectMaxMs: 10_000,
      pollMs: 100,
      timeLimitMs: 5_000,
    });
    expect(adapter.validateConfig({ dataDir: '/data', behaviours: { seed: 7 } })).toEqual({
      ok: true,
      config: {
        server: { kind: 'own', dataDir: '/data', behaviours: { seed: 7 } },
        readBackByKey: true,
        connectMaxMs: 10_000,
        pollMs: 100,
      },
    });
  });

  it.each([
    [{}, 'needs either socket or dataDir'],
    [{ socket: '/a', dataDir: '/b' }, 'needs either socket or dataDir'],
    [{ socket: 'here' }, 'socket: must be an absolute path'],
    [
      { socket: '/a', behaviours: { seed: 1 } },
      'behaviours: are the server’s own when it is shared',
    ],
    [
      { dataDir: '/a', behaviours: { loseAckedTurn: 2 } },
      'behaviours.loseAckedTurn: must be a number from 0 to 1',
    ],
    [{ dataDir: '/a', behaviours: { loose: 1 } }, 'behaviours.loose: unknown field'],
    [{ dataDir: '/a', pollMs: 1 }, 'pollMs: must be a whole number from 10 to 10000'],
  ])('is refused: %j', (raw, problem) => expect(problems(raw)).toContain(problem));

  it('declares what its read-back can do', () => {
    const capabilities = {
      attempts: 'resumable',
      deduplicatesByKey: false,
      readBackByKey: true,
      interruptible: true,
      outlivesClient: true,
    };
    expect(adapter.capabilities(config)).toEqual(capabilities);
    expect(adapter.capabilities({ ...config, readBackByKey: false })).toEqual({
      ...capabilities,
      readBackByKey: false,
    });
  });
});

describe('the plan of an attempt on the sample runtime', () => {
  const order: WorkOrder = {
    runId: 'run',
    session: 'session',
    agent: 'agent',
    generation: 2,
    ask: { kind: 'resume', references: { thread: 'thread' } },
    workdir: '/work/run/2',
    earlierWorkdirs: ['/work/run/1'],
  };

  it('hands the order to the driver in a file', () =>
    expect(adapter.plan(order, config)).toEqual({
      argv: ['node', 'driver.js'],
      env: {},
      passEnv: [],
      files: [
        {
          name: 'order.json',
          content: JSON.stringify({
            runId: 'run',
            ask: order.ask,
            earlierWorkdirs: ['/work/run/1'],
            server: config.server,
            connectMaxMs: 10_000,
            pollMs: 100,
          }),
        },
      ],
      timeLimitMs: 5_000,
    }));
});

describe('what the evidence of an attempt on the sample runtime says', () => {
  const receipt = (kind: Receipt['kind'], turn?: string): Receipt => ({
    kind,
    at: 1,
    prompt: 'initial',
    key: 'run',
    thread: 'thread',
    ...(turn !== undefined && { turn }),
  });
  const read = (evidence: Partial<AttemptEvidence>): unknown =>
    adapter.interpret(
      {
        end: { kind: 'exited', code: 0 },
        outputBytes: 0,
        receipts: [receipt('sent'), receipt('acked', 'turn')],
        ...evidence,
      },
      config,
    );
  const references = { thread: 'thread', turn: 'turn' };

  it('is what the driver says', () => {
    const outcome = { kind: 'completed', readBack: true, references: {} };
    expect(read({ outcome: JSON.stringify(outcome) })).toEqual({
      ...outcome,
      references,
      exit: { code: 0 },
    });
    expect(read({ outcome: JSON.stringify(outcome), end: { kind: 'gone' } })).toEqual({
      ...outcome,
      references,
    });
  });

  it.each([
    { kind: 'gone' } as const,
    { kind: 'exited', code: 1 } as const,
    { kind: 'exited', code: 137, signal: 'SIGKILL' } as const,
  ])('is interrupted when the driver died without a word: %j', (end) =>
    expect(read({ end })).toEqual({ kind: 'interrupted', reason: 'client-died', references }),
  );

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"kind":"completed"}',
    '{"kind":"completed","readBack":true,"references":"thread"}',
    '{"kind":"completed","readBack":true,"references":{"thread":7}}',
    '{"kind":"completed","references":{}}',
    '{"kind":"failed","code":"GREAT","message":"","references":{}}',
    '{"kind":"interrupted","reason":"toString","references":{}}',
    '{"kind":"lost","references":{}}',
    '{"kind":"great","references":{}}',
  ])('is lost when the word can not be read: %j', (outcome) =>
    expect(read({ outcome })).toEqual({ kind: 'lost', reason: 'malformed-outcome', references }),
  );

  it('is not started when go never came', () =>
    expect(read({ end: { kind: 'not-started', reason: 'no-go' }, receipts: [] })).toEqual({
      kind: 'not-started',
    }));
});

describe('the sample runtime', () => {
  it('reads its scripts', () => {
    expect(scriptOf('work 2s; say a b\nfail;hang; work 5ms; until /tmp/x', '')).toEqual([
      { kind: 'work', ms: 2_000 },
      { kind: 'say', text: 'a b' },
      { kind: 'fail' },
      { kind: 'hang' },
      { kind: 'work', ms: 5 },
      { kind: 'until', path: '/tmp/x' },
    ]);
    expect(scriptOf('good morning', '')).toEqual([{ kind: 'say', text: 'You said: good morning' }]);
    expect(scriptOf(RECOVERY_PROMPT, 'hang; say done')).toEqual([{ kind: 'say', text: 'done' }]);
  });

  it('gives every turn the same fate under the same seed, spread evenly', () => {
    const fates = Array.from({ length: 2_000 }, (_, index) => fateOf(7, 'lose', `run-${index}`));
    expect(fates).toEqual(
      Array.from({ length: 2_000 }, (_, index) => fateOf(7, 'lose', `run-${index}`)),
    );
    expect(fates.every((fate) => fate >= 0 && fate < 1)).toBe(true);
    const half = fates.filter((fate) => fate < 0.5).length;
    expect(half).toBeGreaterThan(900);
    expect(half).toBeLessThan(1_100);
  });

  it('keeps the behaviours that are not named', () =>
    expect(validateBehaviours({ steer: false }, { ...DEFAULT_BEHAVIOURS, seed: 9 })).toEqual({
      ok: true,
      config: { ...DEFAULT_BEHAVIOURS, seed: 9, steer: false },
    }));
});
