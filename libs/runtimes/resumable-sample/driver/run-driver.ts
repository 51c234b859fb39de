import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readReceipts } from '#runtimes';
import type { DriverOutcome } from '../outcome.js';
import { Conversation, type ResumePolicy } from './conversation.js';
import { EvidenceFiles } from './evidence-files.js';
import { ORDER_FILE, WORK_DIRECTORY, type DriverOrder } from './order.js';
import { reachRuntime } from './reach-runtime.js';
import { RuntimeClient } from './runtime-client.js';

/** What a test may replace, to show what it is good for. */
export interface DriverParts {
  readonly policy?: ResumePolicy;
  readonly client?: (socket: string, signal: AbortSignal) => RuntimeClient;
}

/** Carries out the order that lies above this process's current folder, and ends the process when its outcome is written. */
export const runDriver = async (parts: DriverParts = {}): Promise<never> => {
  const workdir = resolve(WORK_DIRECTORY);
  const order = JSON.parse(await readFile(join(workdir, ORDER_FILE), 'utf8')) as DriverOrder;
  const evidence = new EvidenceFiles(workdir);
  evidence.outcome(await attempt(order, evidence, parts));
  process.exit(0);
};

const attempt = async (
  order: DriverOrder,
  evidence: EvidenceFiles,
  { policy, client = (socket, signal) => new RuntimeClient(socket, signal) }: DriverParts,
): Promise<DriverOutcome> => {
  const ended = new AbortController();
  let stop = (): void => ended.abort(); // Before the talk has begun.
  process.on('SIGTERM', () => stop());
  const earlier = await earlierReceipts(order);
  const socket = await reachRuntime(order, ended.signal).catch((error: unknown) => {
    if (ended.signal.aborted) return undefined;
    throw error;
  });
  if (ended.signal.aborted) return { kind: 'interrupted', reason: 'stopped', references: {} };
  if (socket === undefined) return unreachable(order);
  const conversation = new Conversation(
    {
      order,
      evidence,
      client: client(socket, ended.signal),
      earlier,
      print: (text) => process.stdout.write(text),
    },
    policy,
  );
  stop = () => void conversation.stop();
  return conversation.run();
};

/** A first attempt that reached nobody has certainly sent nothing; a later one has to leave it open. */
const unreachable = ({ ask, connectMaxMs }: DriverOrder): DriverOutcome => {
  if (ask.kind === 'resume')
    return { kind: 'interrupted', reason: 'runtime-unreachable', references: ask.references };
  const message = `the runtime could not be reached in ${connectMaxMs} ms; nothing was sent`;
  return { kind: 'failed', code: 'RUNTIME_UNREACHABLE', message, references: {} };
};

const earlierReceipts = async ({ earlierWorkdirs }: DriverOrder) => {
  const read = await Promise.all(earlierWorkdirs.map((folder) => readReceipts(folder)));
  return read.flatMap(({ receipts }) => receipts);
};
