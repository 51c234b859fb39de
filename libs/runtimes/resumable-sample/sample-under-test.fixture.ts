import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RuntimeAdapter } from '#runtimes';
import type { Levers, ResumableUnderTest } from '#runtimes/port/conformance';
import { Attempts } from '../testing/attempts.fixture.js';
import type { Behaviours } from './behaviours.js';
import { sampleAdapterWith } from './sample.adapter.js';
import { sampleServerArgv } from './sample-server.js';
import { readLedger } from './server/ledger.js';
import type { StoredThread } from './server/thread-store.js';

/** The sample runtime as a server of its own, and one run on it. */
export const sampleUnderTest = async (
  driver: readonly [string, ...string[]],
): Promise<ResumableUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sample-'));
  const dataDir = join(folder, 'data');
  const ledger = join(folder, 'ledger.jsonl');
  const door = join(folder, 'door');
  const servers: ChildProcess[] = [];
  let socket = '';
  let behaviours: Partial<Behaviours> = {};

  const start = async (): Promise<void> => {
    socket = join(folder, `${servers.length}.sock`);
    const [node, ...args] = sampleServerArgv({ dataDir, ledger, socket, behaviours });
    const server = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    servers.push(server);
    await once(server.stdout, 'data');
  };
  const kill = async (server: ChildProcess | undefined): Promise<void> => {
    if (server?.exitCode !== null || server.signalCode !== null) return; // Not started, or dead already.
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const config = (): unknown => {
    const checked = adapter.validateConfig({ socket, connectMaxMs: 300, pollMs: 20 });
    if (!checked.ok) throw new Error(checked.problems.join('; '));
    return checked.config;
  };
  const adapter = sampleAdapterWith(driver) as RuntimeAdapter;
  const attempts = new Attempts(adapter, config, 3_000);
  await start();

  return {
    adapter,
    get config() {
      return config();
    },
    prompts: {
      quick: 'say hello',
      slow: `until ${door}; say hello`,
      answer: 'hello\n',
      fails: 'fail',
    },
    finishSlowWork: () => writeFile(door, ''),
    pull: async (levers) => {
      behaviours = { ...behaviours, ...behavioursOf(levers) };
      await put(socket, '/behaviours', behaviours);
    },
    begin: (prompt) => attempts.begin(prompt),
    resume: () => attempts.resume(),
    seen: () =>
      readLedger(ledger).flatMap(({ kind, steered }) =>
        kind === 'initial' || kind === 'recovery' ? [{ kind, steered }] : [],
      ),
    interruptions: () => count('interrupt'),
    fenceRefusals: () => count('refusal'),
    hasFinished: () => {
      const newest = newestTurn(join(dataDir, 'threads'));
      return Promise.resolve(newest !== undefined && newest !== 'running');
    },
    killRuntime: () => kill(servers.at(-1)),
    startRuntime: start,
    startSecondRuntime: start,
    close: async () => {
      await attempts.sweep();
      for (const server of servers) await kill(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function count(kind: 'interrupt' | 'refusal'): number {
    return readLedger(ledger).filter((line) => line.kind === kind).length;
  }
};

const behavioursOf = (levers: Levers): Partial<Behaviours> => {
  const { losesAcknowledgedTurns, abortsWhenClientDies, readsBackByKey, withholds } = levers;
  const holds = { nothing: 'none', acknowledgement: 'ack', observation: 'observed', end: 'end' };
  return {
    ...(losesAcknowledgedTurns !== undefined && { loseAckedTurn: losesAcknowledgedTurns ? 1 : 0 }),
    ...(abortsWhenClientDies !== undefined && {
      abortWhenClientDies: abortsWhenClientDies ? 1 : 0,
    }),
    ...(readsBackByKey !== undefined && { readBackByClientId: readsBackByKey }),
    ...(withholds !== undefined && { hold: holds[withholds] as Behaviours['hold'] }),
  };
};

/** Read from the disk, so that looking does not show in the ledger. */
const newestTurn = (threads: string): string | undefined => {
  if (!existsSync(threads)) return undefined;
  const [file] = readdirSync(threads).filter((name) => name.endsWith('.json'));
  if (file === undefined) return undefined;
  const { turns } = JSON.parse(readFileSync(join(threads, file), 'utf8')) as StoredThread;
  return turns.at(-1)?.status;
};

const put = (socketPath: string, path: string, body: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method: 'PUT', agent: false }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`the runtime refused ${JSON.stringify(body)}`));
      });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
