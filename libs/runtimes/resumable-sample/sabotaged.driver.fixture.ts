/** A driver that is wrong in one way, named by its argument: what the conformance suite is good for. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DriverOrder } from './driver/order.js';
import { ORDER_FILE, WORK_DIRECTORY } from './driver/order.js';
import { nextOfResume } from './driver/resume.next.js';
import { runDriver, type DriverParts } from './driver/run-driver.js';
import { RuntimeClient } from './driver/runtime-client.js';

const OWN_ORDER = join(WORK_DIRECTORY, ORDER_FILE);

/** Sends the initial prompt again: it still finds it in the folder of the first attempt. */
const resendsTheInitialPrompt = (): DriverParts => {
  const order = JSON.parse(readFileSync(OWN_ORDER, 'utf8')) as DriverOrder;
  const first = order.earlierWorkdirs[0];
  if (first !== undefined) {
    const { ask } = JSON.parse(readFileSync(join(first, ORDER_FILE), 'utf8')) as DriverOrder;
    writeFileSync(OWN_ORDER, JSON.stringify({ ...order, ask }));
  }
  return {};
};

/** Asks to go on, also when there is an answer. */
const recoversWhatIsFinished = (): DriverParts => ({
  policy: (runId, history, sent) => {
    const step = nextOfResume(runId, history, sent);
    return step.kind === 'copy' || step.kind === 'attach'
      ? { kind: 'recover', turn: step.turn, key: `${runId}:recovery:1` }
      : step;
  },
});

/** Takes "not in the history" for "never received". */
const takesLostForNeverReceived = (): DriverParts => ({
  policy: (runId, history, sent) => {
    const step = nextOfResume(runId, history, sent);
    if (step.kind !== 'lost') return step;
    const order = JSON.parse(readFileSync(OWN_ORDER, 'utf8')) as DriverOrder;
    const receipts = readFileSync(join(order.earlierWorkdirs[0] ?? '', 'receipts.jsonl'), 'utf8');
    const { thread } = JSON.parse(receipts.split('\n')[0] ?? '') as { thread: string };
    const turn = { thread, turn: '', key: runId, status: 'interrupted', answer: '' } as const;
    return { kind: 'recover', turn, key: runId };
  },
});

/** Does not ask whether another process works in the thread. */
const looksWithoutTheFence = (): DriverParts => ({
  client: (socket, signal) => {
    const client = new RuntimeClient(socket, signal);
    client.resume = () => Promise.resolve();
    return client;
  },
});

/** Does not look at what earlier attempts sent. */
const forgetsItsRecoveries = (): DriverParts => ({
  policy: (runId, history) => nextOfResume(runId, history, []),
});

/** Knows only the first prompt: a recovery that has answered is asked for once more. */
const looksOnlyAtTheFirstTurn = (): DriverParts => ({
  policy: (runId, history, sent) =>
    nextOfResume(
      runId,
      history.kind === 'turns'
        ? { ...history, turns: history.turns.filter(({ key }) => key === runId) }
        : history,
      sent.filter((key) => key === runId),
    ),
});

/** SIGTERM ends it as any program: the turn goes on at the runtime. */
const diesWithoutInterrupting = (): DriverParts => {
  process.on = () => process;
  return {};
};

const SABOTAGES: Readonly<Record<string, () => DriverParts>> = {
  resendsTheInitialPrompt,
  recoversWhatIsFinished,
  takesLostForNeverReceived,
  looksWithoutTheFence,
  forgetsItsRecoveries,
  looksOnlyAtTheFirstTurn,
  diesWithoutInterrupting,
};

const sabotage = SABOTAGES[process.argv[2] ?? ''];
if (sabotage === undefined) throw new Error(`no such sabotage: ${process.argv[2]}`);
await runDriver(sabotage());
