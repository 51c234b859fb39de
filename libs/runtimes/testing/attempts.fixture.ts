import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  environmentOf,
  launch,
  stopProgram,
  sumOutput,
  survivors,
  type Launched,
  type ProgramEnd,
} from '#execution/process';
import {
  readOutcome,
  readReceipts,
  type AttemptEnd,
  type Receipt,
  type RuntimeAdapter,
  type WorkOrder,
} from '#runtimes';
import type { AttemptUnderTest } from '#runtimes/port/conformance';
import { waitUntil } from '#testing';

const LAUNCH = { pollMs: 20, announceMaxMs: 10_000 } as const;
const LADDER = { graceMs: 5_000, killWaitMs: 5_000, pollMs: 10 } as const;

export interface StartedAttempt extends AttemptUnderTest {
  /** SIGKILL to the program alone: what it started itself lives on. */
  killProgram(): Promise<void>;
  /** What is alive of the attempt. */
  survivors(): number;
}

/** The attempts of one run, planned by an adapter and started behind the shim, as a node starts them. */
export class Attempts {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
  readonly runId = `run-${this.folder.slice(-6).toLowerCase()}`;
  readonly #started: { readonly launched: Launched; readonly work: string }[] = [];
  readonly #ends: Promise<AttemptEnd>[] = [];

  constructor(
    private readonly adapter: RuntimeAdapter,
    private readonly config: () => unknown,
    private readonly graceMs: number = LADDER.graceMs,
  ) {}

  begin(prompt: string): Promise<StartedAttempt> {
    return this.#start({ kind: 'initial', prompt });
  }

  resume(): Promise<StartedAttempt> {
    return this.#start({ kind: 'resume', references: {} });
  }

  async sweep(): Promise<void> {
    for (const { launched, work } of this.#started)
      await stopProgram({ shim: launched.shim, work }, { ...LADDER, graceMs: 0 });
    await Promise.allSettled(this.#ends); // They still read the folder.
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #start(ask: WorkOrder['ask']): Promise<StartedAttempt> {
    const generation = this.#started.length + 1;
    const workdir = this.#workdir(generation);
    const earlierWorkdirs = this.#started.map((_, index) => this.#workdir(index + 1));
    const { runId } = this;
    const order = {
      runId,
      session: runId,
      agent: 'test',
      generation,
      ask,
      workdir,
      earlierWorkdirs,
    };
    const plan = this.adapter.plan(order, this.config());
    const work = `${runId}/${generation}`;
    const env = environmentOf(process.env, plan.passEnv, plan.env);
    const launched = await launch({ ...plan, workdir, work, env }, LAUNCH);
    this.#started.push({ launched, work });
    launched.giveGo();
    const end = launched.ended.then((seen) => this.#read(seen, workdir, earlierWorkdirs));
    this.#ends.push(end);
    const group = { shim: launched.shim, work };
    return {
      until: (kind) => receiptOf(kind, workdir),
      kill: async () => {
        process.kill(-launched.shim.pid, 'SIGKILL');
        await launched.ended;
      },
      killProgram: async () => {
        process.kill(launched.child.pid, 'SIGKILL');
        await launched.ended;
      },
      survivors: () => survivors(group).length,
      stop: async () => {
        await stopProgram(group, { ...LADDER, graceMs: this.graceMs });
      },
      end,
      output: () => readFile(join(workdir, 'output'), 'utf8'),
    };
  }

  async #read(
    end: ProgramEnd,
    workdir: string,
    earlierWorkdirs: readonly string[],
  ): Promise<AttemptEnd> {
    const receipts: Receipt[] = [];
    for (const folder of [...earlierWorkdirs, workdir])
      receipts.push(...(await readReceipts(folder)).receipts);
    const outcome = await readOutcome(workdir);
    const { bytes: outputBytes } = await sumOutput(workdir);
    const evidence = { end, outputBytes, receipts, ...(outcome !== undefined && { outcome }) };
    return this.adapter.interpret(evidence, this.config());
  }

  #workdir(generation: number): string {
    return join(this.folder, String(generation));
  }
}

const receiptOf = async (kind: Receipt['kind'], workdir: string): Promise<void> => {
  await waitUntil(`the receipt ${kind}`, async () =>
    (await readReceipts(workdir)).receipts.some((receipt) => receipt.kind === kind),
  );
};
