import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startLocalStack } from '#local-stack';
import { median } from './lib/figures.mjs';

/** Agents of one round, and reads of each kind. */
const SPAWNS = 20;
const READS = 200;
/** A program that has not begun by then never will, ms. */
const BEGIN_MAX_MS = 30_000;

const PROGRAM = new URL('lib/started.mjs', import.meta.url).pathname;
const NODE = {
  id: 'spawner',
  name: 'spawner',
  workspace: 'main',
  capabilities: [],
  capacity: 1_000,
  maxRuns: 4,
  agents: [{ name: 'echo', runtime: 'cli', argv: ['/bin/echo', '{prompt}'], promptBy: 'argument' }],
  harnesses: [
    {
      name: 'started',
      runtime: 'cli',
      argv: [process.execPath, PROGRAM, '{prompt}'],
      promptBy: 'argument',
    },
  ],
};

/**
 * A strict spawn on a node with real programs, in a stack of its own: from the call to the begin of the agent, against the
 * same program started by hand; and the replay of a finished one against the read of a run.
 *
 * @type {import('./lib/benchmark.mjs').Benchmark}
 */
export const spawns = async ({ ledger, rounds }) => {
  const folder = await mkdtemp(join(tmpdir(), 'hf-'));
  const stack = await startLocalStack({
    home: join(folder, 'home'),
    nodes: [NODE],
    logLevel: 'warn',
  });
  try {
    await mkdir(join(folder, 'began'));
    const caller = callerOf(stack);
    const begun = (/** @type {string} */ name) => join(folder, 'began', name);
    await round(caller, begun); // To warm up.
    for (let count = 0; count < rounds; count += 1) {
      const { strict, byHand, replay, read } = await round(caller, begun);
      ledger.add(
        'spawn.started.p50',
        {
          what: 'from the call of a strict spawn to the begin of its agent, p50',
          of: 'ms',
          against: 'the same program started by hand',
          goal: { atMost: 3 },
        },
        { numerator: median(strict), denominator: median(byHand) },
      );
      ledger.add(
        'spawn.replay.p50',
        {
          what: 'replay of a finished spawn over HTTP, p50',
          of: 'ms',
          against: 'the read of a run over HTTP',
          goal: { atMost: 2 },
        },
        { numerator: median(replay), denominator: median(read) },
      );
    }
  } finally {
    await stack.destroy();
    await rm(folder, { recursive: true, force: true });
  }
};

/** One kind after the other, by turns. @param {ReturnType<typeof callerOf>} caller @param {(name: string) => string} begun */
const round = async (caller, begun) => {
  /** @type {number[]} */
  const strict = [];
  /** @type {number[]} */
  const byHand = [];
  let key = '';
  for (let count = 0; count < SPAWNS; count += 1) {
    key = randomUUID();
    const file = begun(key);
    const from = now();
    await caller.invoke(key, file);
    strict.push((await beganAt(file)) - from);
    const other = begun(randomUUID());
    const fromHere = now();
    spawn(process.execPath, [PROGRAM, other], { stdio: 'ignore' });
    byHand.push((await beganAt(other)) - fromHere);
  }
  await caller.untilCompleted(key, begun(key));
  const runId = await caller.submit();
  /** @type {number[]} */
  const replay = [];
  /** @type {number[]} */
  const read = [];
  for (let count = 0; count < READS; count += 1) {
    replay.push(await took(() => caller.replay(key)));
    read.push(await took(() => caller.read(runId)));
  }
  return { strict, byHand, replay, read };
};

const now = () => performance.timeOrigin + performance.now();

const isCompleted = (/** @type {{ status: string }} */ { status }) => status === 'completed';

/** @param {string} what @param {() => Promise<boolean>} isSo */
const until = async (what, isSo) => {
  const deadline = performance.now() + BEGIN_MAX_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pause(5);
  }
};

const took = async (/** @type {() => Promise<unknown>} */ act) => {
  const from = performance.now();
  await act();
  return performance.now() - from;
};

/** When the program says that it began. @param {string} file */
const beganAt = async (file) => {
  const deadline = performance.now() + BEGIN_MAX_MS;
  for (;;) {
    const text = await readFile(file, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text !== undefined) return Number(text);
    if (performance.now() > deadline) throw new Error(`${file}: nothing began`);
    await pause(1);
  }
};

/** @param {import('#local-stack').LocalStack} stack */
const callerOf = (stack) => {
  const ask = async (
    /** @type {string} */ path,
    /** @type {string} */ token,
    /** @type {number} */ status,
    /** @type {{ key: string, body: object } | undefined} */ command = undefined,
  ) => {
    const response = await fetch(`${stack.url}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(command && { 'content-type': 'application/json', 'idempotency-key': command.key }),
      },
      ...(command && { method: 'POST', body: JSON.stringify(command.body) }),
    });
    /** @type {any} */
    const answer = await response.json();
    if (response.status !== status) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const agent = stack.agentToken;
  const contract = 'relay.spawn.invoke.logical/1';
  const replay = (/** @type {string} */ key) =>
    ask('/v1/actions/spawn/replay', agent, 201, { key, body: { spawn_contract: contract } });
  const read = (/** @type {string} */ runId) => ask(`/v1/runs/${runId}`, stack.operatorToken, 200);
  return {
    replay,
    invoke: (/** @type {string} */ key, /** @type {string} */ task) =>
      ask('/v1/actions/spawn/strict-invoke', agent, 201, {
        key,
        body: {
          spawn_contract: contract,
          node_id: NODE.id,
          node_name: NODE.name,
          agent_name: 'measured',
          harness: 'started',
          task,
        },
      }),
    untilCompleted: async (/** @type {string} */ key, /** @type {string} */ file) => {
      await beganAt(file);
      await until(`${key} to be completed`, async () => isCompleted(await replay(key)));
    },
    submit: async () => {
      const body = { agent: 'echo', prompt: 'x' };
      const { runId } = await ask('/v1/submissions', stack.operatorToken, 202, {
        key: randomUUID(),
        body,
      });
      await until(`run ${runId} to be completed`, async () => isCompleted(await read(runId)));
      return runId;
    },
    read,
  };
};
