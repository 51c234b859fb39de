import {
  REPORT_BOUNDS,
  type ClaimAnswer,
  type ReportAnswer,
  type SpawnClaimRequest,
  type SpawnReport,
} from '#contracts';
import { leftovers, ranNothing, type Entry } from '../domain/index.js';
import {
  MALFORMED,
  sayUntilAnswered,
  type EntryReporter,
  type ReporterSurroundings,
} from './entry.reporter.js';
import type { CommandReply } from './ports.js';
import { sentenceOfEnd } from './runtime.reading.js';

/** Speaks of an agent that is spawned: whether it was started, and whether it lives. */
export class SpawnReporter implements EntryReporter {
  /** It is being said already that it lives: a second voice would say the same. */
  #isSaying = false;
  /** It was said in this process that it was started. */
  #saidStarted = false;

  constructor(private readonly around: ReporterSurroundings) {}

  claim(): Promise<CommandReply<ClaimAnswer>> {
    const { commands, trace } = this.around;
    return commands.claimSpawn(this.#request(), trace());
  }

  started(still: () => boolean): void {
    this.lives(still);
  }

  lives(still: () => boolean): void {
    if (this.#isSaying) return;
    this.#isSaying = true;
    const { processes } = this.around.records.entry;
    const process = processes === null ? 'its process' : `its process ${processes.child.pid}`;
    void this.#sayStarted(`${process} is alive`, still).finally(() => {
      this.#isSaying = false;
    });
  }

  /** Its output is its receipt. */
  receipts(): void {
    return undefined;
  }

  async outcome(entry: Entry): Promise<CommandReply<ReportAnswer>> {
    if (entry.phase !== 'ended' || entry.end === null)
      return this.#notStarted(entry, entry.closedBecause ?? 'closed in the journal');
    if (ranNothing(entry) && !this.#saidStarted)
      return this.#notStarted(entry, 'its program waited, and was never told to go');
    if (leftovers(entry)) return this.#livesInPart();
    const reply = await this.#ended(`ended ${sentenceOfEnd(entry.end.end)}`, entry.cwd);
    if (reply.kind !== 'refused' || reply.code !== MALFORMED) return reply;
    // Said in part rather than not at all: an agent whose end nobody hears of would keep its place for ever.
    return this.#ended('ended, and how it ended could not be recorded', null);
  }

  /** Its place is given back when nothing of it lives: its end is told then. @returns `no-answer`: look again later. */
  async #livesInPart(): Promise<CommandReply<ReportAnswer>> {
    const evidence = 'its program has ended, and something that it started is alive';
    await this.#report({ ...this.#base(), kind: 'started', evidence, workerCwd: this.#cwd() });
    return { kind: 'no-answer' };
  }

  async #sayStarted(evidence: string, still: () => boolean): Promise<void> {
    const what = { ...this.#base(), kind: 'started', evidence, workerCwd: this.#cwd() } as const;
    const say = (): Promise<CommandReply<ReportAnswer>> => {
      this.#saidStarted = true;
      return this.#report(what);
    };
    // Its spawn is not complete before it is heard: tried for as long as it lives.
    const reply = await sayUntilAnswered(say, still, this.around.timers, Infinity);
    if (reply.kind === 'refused')
      this.around.onTrouble(new Error(`it was refused that it was started: ${reply.code}`));
  }

  #notStarted(entry: Entry, reason: string): Promise<CommandReply<ReportAnswer>> {
    const { incarnation: disproves } = entry;
    return this.#report({
      ...this.#base(),
      kind: 'not-started',
      disproves,
      proof: fitted(reason, REPORT_BOUNDS.sentenceBytesMax),
    });
  }

  #ended(evidence: string, workerCwd: string | null): Promise<CommandReply<ReportAnswer>> {
    const fits = fitted(evidence, REPORT_BOUNDS.sentenceBytesMax);
    return this.#report({ ...this.#base(), kind: 'ended', evidence: fits, workerCwd });
  }

  #report(report: SpawnReport): Promise<CommandReply<ReportAnswer>> {
    return this.around.commands.reportSpawn(report, this.around.trace());
  }

  #cwd(): string | null {
    return this.around.records.entry.cwd;
  }

  #base(): Omit<Extract<SpawnReport, { kind: 'started' }>, 'kind' | 'evidence' | 'workerCwd'> {
    return { ...this.#request(), journalSequence: this.around.records.sequence };
  }

  #request(): SpawnClaimRequest {
    const { runId, generation } = this.around.records;
    const spawnId: string = runId; // What a run's id is to a run, a spawn's is here.
    return { spawnId, generation, ...this.around.self };
  }
}

/** The beginning of a text, in whole characters: a report that is too long would be refused, and say nothing. */
const fitted = (text: string, bytesMax: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  // In a stream a character that is cut at the end is waited for, and not replaced.
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true });
};
