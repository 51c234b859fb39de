import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  leftNothing,
  readOutcome,
  readReceipts,
  type AttemptEnd as RuntimeEnd,
  type Receipt,
  type WorkOrder,
} from '#runtimes';
import type { Frame } from '#contracts';
import { TURN_MAY_GO_ON, type Receipts } from '#runs/contract';
import type { Entry, Sighting } from '../domain/index.js';
import {
  adopt,
  environmentOf,
  isAlive,
  launch,
  OUTPUT_KEPT_MAX_BYTES,
  ProgramNotStartable,
  readEnd,
  stopProgram,
  sumOutput,
  survivors,
  WORK_FILES,
  type LadderSettings,
  type LadderTarget,
  type LaunchSettings,
  type ProgramEnd,
} from '../process/index.js';
import {
  cwdOf,
  planOf,
  programOf,
  startableOf,
  type ConfiguredAgent,
  type ConfiguredPrograms,
} from './configured.programs.js';
import {
  NO_OUTPUT,
  NotStartable,
  type EndOfWork,
  type Programs,
  type WaitingProgram,
  type WatchedProgram,
} from './ports.js';
import {
  endOf,
  namedRemains,
  referencesOf,
  saysThatItEnded,
  summarised,
} from './runtime.reading.js';

export interface RuntimeProgramsOptions extends ConfiguredPrograms {
  /** Absolute: a folder for each run in it, and in that one for each generation. */
  readonly workRoot: string;
  readonly launch: LaunchSettings;
  readonly ladder: LadderSettings;
  /** The agent's own environment: programs get the harmless part of it, and what their configuration names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Programs of real runtimes, for runs and for agents that are spawned: planned and read by their adapters, started behind the shim, stopped down the ladder. */
export class RuntimePrograms implements Programs {
  constructor(private readonly options: RuntimeProgramsOptions) {}

  traits(frame: Frame): { readonly outlivesClient: boolean; readonly timeLimitMs: number | null } {
    const agent = programOf(this.options, frame);
    if (agent === undefined) return { outlivesClient: false, timeLimitMs: null };
    const { outlivesClient } = agent.adapter.capabilities(agent.config);
    try {
      const plan = planOf(agent, this.#order(frame, []), frame);
      return { outlivesClient, timeLimitMs: plan.timeLimitMs ?? null };
    } catch (error) {
      if (error instanceof NotStartable) return { outlivesClient, timeLimitMs: null };
      throw error;
    }
  }

  async prepare(frame: Frame): Promise<WaitingProgram> {
    const agent = startableOf(this.options, frame);
    const order = this.#order(frame, await this.#earlierWorkdirs(frame));
    const plan = planOf(agent, order, frame);
    try {
      const launched = await launch(
        {
          workdir: order.workdir,
          work: `${frame.runId}/${String(frame.generation)}`,
          argv: plan.argv,
          ...(plan.cwd === undefined ? {} : { cwd: plan.cwd }),
          env: environmentOf(this.options.environment, plan.passEnv, plan.env),
          ...(plan.stdin === undefined ? {} : { stdin: plan.stdin }),
          files: plan.files,
        },
        this.options.launch,
      );
      const { shim, child } = launched;
      return {
        shim,
        child,
        workDirectory: order.workdir,
        cwd: cwdOf(plan, order),
        giveGo: () => {
          launched.giveGo();
        },
        abandon: () => {
          launched.abandon();
        },
        ended: launched.ended.then(sightingOf),
        close: () => {
          launched.close();
        },
      };
    } catch (error) {
      if (!(error instanceof ProgramNotStartable)) throw error;
      throw new NotStartable('AGENT_NOT_STARTABLE', error.message, { cause: error });
    }
  }

  async look(entry: Entry): Promise<Sighting> {
    const { processes, workDirectory } = entry;
    if (processes === null || workDirectory === null) return 'gone';
    const alive = isAlive(processes.shim) || isAlive(processes.child);
    const end = await readEnd(workDirectory);
    if (end !== undefined && !isAlive(processes.shim)) return 'exited';
    return alive ? 'alive' : 'gone';
  }

  watch(entry: Entry): WatchedProgram {
    const { processes, workDirectory } = entry;
    if (processes === null || workDirectory === null)
      return { ended: Promise.resolve('gone'), close: () => undefined };
    const watched = adopt(processes, workDirectory, this.options.launch);
    return {
      ended: watched.ended.then(sightingOf),
      close: () => {
        watched.close();
      },
    };
  }

  async receipts(entry: Entry): Promise<Receipts> {
    if (entry.workDirectory === null) return {};
    const { receipts } = await readReceipts(entry.workDirectory);
    if (receipts.length > 0) return summarised(receipts);
    // A program that is not spoken to has its prompt with it: sent when `go` reached the shim.
    const went = await modifiedAt(join(entry.workDirectory, WORK_FILES.went));
    return went === null ? {} : { sent: went };
  }

  async conclude(entry: Entry, seen: Exclude<Sighting, 'alive'>): Promise<EndOfWork> {
    const { workDirectory, frame } = entry;
    const agent = frame === null ? undefined : programOf(this.options, frame);
    if (workDirectory === null || frame === null || agent === undefined) {
      const reason = 'its agent is no longer in the configuration of the node';
      const remains = leftBySpawned(entry);
      return { end: { how: 'lost', reason, remains }, output: NO_OUTPUT, receipts: {} };
    }
    const end: ProgramEnd =
      seen === 'gone' ? { kind: 'gone' } : ((await readEnd(workDirectory)) ?? { kind: 'gone' });
    const { bytes, sha256 } = await sumOutput(workDirectory);
    const read = await this.#read(agent, frame, end, bytes);
    const receipts = { ...(await this.receipts(entry)), ...referencesOf(read) };
    const remains = end.kind === 'gone' ? await this.#orphansOf(entry, read) : leftBySpawned(entry);
    const output = { bytes, sha256, truncated: bytes > OUTPUT_KEPT_MAX_BYTES };
    const ended = endOf(read, remains);
    const told = frame.spawn === undefined ? ended : withRemains(ended, remains);
    return { end: told, output, receipts };
  }

  async remains(entry: Entry): Promise<readonly string[]> {
    const target = targetOf(entry);
    const wasKilled = entry.end?.end.how === 'killed';
    const turn = wasKilled ? await this.#unconfirmedTurn(entry) : [];
    return namedRemains(target === null ? [] : survivors(target), turn);
  }

  async stop(
    entry: Entry,
  ): Promise<{ readonly remains: readonly string[]; readonly endedByItself: boolean }> {
    const target = targetOf(entry);
    if (target === null) return { remains: [], endedByItself: false };
    const result = await stopProgram(target, this.options.ladder);
    return {
      remains: namedRemains(result.remains, await this.#unconfirmedTurn(entry)),
      endedByItself: result.proof === 'group-gone' && result.rung === 'none',
    };
  }

  /**
   * What is alive of a program that is gone. Where the work may be resumed it is ended first, so that there are never two
   * of it; elsewhere it is left alone and reported.
   */
  async #orphansOf(entry: Entry, read: RuntimeEnd): Promise<readonly string[]> {
    const target = targetOf(entry);
    if (target === null) return [];
    if (read.kind !== 'interrupted') return namedRemains(survivors(target));
    return namedRemains((await stopProgram(target, this.options.ladder)).remains);
  }

  /**
   * After a program was ended: the turn that it had begun in a runtime that goes on without it, unless the runtime said what
   * became of it.
   */
  async #unconfirmedTurn({ frame, workDirectory }: Entry): Promise<readonly string[]> {
    const agent = frame === null ? undefined : programOf(this.options, frame);
    if (frame === null || workDirectory === null || agent === undefined) return [];
    if (!agent.adapter.capabilities(agent.config).outlivesClient) return [];
    if ((await this.#allReceipts(frame)).length === 0) return []; // Nothing was handed to it.
    const end: ProgramEnd = (await readEnd(workDirectory)) ?? { kind: 'gone' };
    const read = await this.#read(agent, frame, end, 0);
    return saysThatItEnded(read) ? [] : [TURN_MAY_GO_ON];
  }

  async #read(
    { adapter, config }: ConfiguredAgent,
    frame: Frame,
    end: ProgramEnd,
    outputBytes: number,
  ): Promise<RuntimeEnd> {
    const outcome = await readOutcome(this.#workdir(frame));
    const receipts = await this.#allReceipts(frame);
    return adapter.interpret(
      { end, outputBytes, ...(outcome === undefined ? {} : { outcome }), receipts },
      config,
    );
  }

  async #earlierWorkdirs(frame: Frame): Promise<readonly string[]> {
    const folder = join(this.options.workRoot, frame.runId);
    const names = await readdir(folder).catch((error: unknown) => {
      if (leftNothing(error)) return [];
      throw error;
    });
    return names
      .map(Number)
      .filter((generation) => generation < frame.generation)
      .sort((one, other) => one - other)
      .map((generation) => join(folder, String(generation)));
  }

  async #allReceipts(frame: Frame): Promise<readonly Receipt[]> {
    const folders = [...(await this.#earlierWorkdirs(frame)), this.#workdir(frame)];
    const read = await Promise.all(folders.map((folder) => readReceipts(folder)));
    return read.flatMap(({ receipts }) => receipts);
  }

  #workdir({ runId, generation }: Pick<Frame, 'runId' | 'generation'>): string {
    return join(this.options.workRoot, runId, String(generation));
  }

  #order(frame: Frame, earlierWorkdirs: readonly string[]): WorkOrder {
    const { runId, sessionId, agent, generation, kind, prompt, thread, turn } = frame;
    const references = {
      ...(thread === null ? {} : { thread }),
      ...(turn === null ? {} : { turn }),
    };
    return {
      runId,
      session: sessionId,
      agent,
      generation,
      ask: kind === 'initial' ? { kind, prompt: prompt ?? '' } : { kind, references },
      workdir: this.#workdir(frame),
      earlierWorkdirs,
    };
  }
}

/** What a spawned agent left alive when its program ended by itself: its place is held until nothing of it is. */
const leftBySpawned = (entry: Entry): readonly string[] => {
  const target = targetOf(entry);
  if (entry.frame?.spawn === undefined || target === null) return [];
  return namedRemains(survivors(target).filter(({ pid }) => pid !== target.shim.pid));
};

/** Whatever its exit says, what has left something alive has not ended. */
const withRemains = (end: EndOfWork['end'], remains: readonly string[]): EndOfWork['end'] =>
  remains.length === 0 || 'remains' in end
    ? end
    : { how: 'lost', reason: 'its program ended, and what it had started went on', remains };

/** Null for an entry that never had a program. */
const targetOf = ({ processes, runId, generation }: Entry): LadderTarget | null =>
  processes === null ? null : { ...processes, work: `${runId}/${String(generation)}` };

const sightingOf = (end: ProgramEnd): Exclude<Sighting, 'alive'> =>
  end.kind === 'gone' ? 'gone' : 'exited';

const modifiedAt = async (path: string): Promise<number | null> => {
  try {
    return Math.round((await stat(path)).mtimeMs);
  } catch (error) {
    if (leftNothing(error)) return null;
    throw error;
  }
};
