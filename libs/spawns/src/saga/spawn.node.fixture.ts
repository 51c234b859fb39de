import type { AskAnswer, AskRequest, Frame, SpawnReport } from '#contracts';
import type { ClaimSpawnHandler, ReportSpawnHandler } from '../command/index.js';
import { ClaimSpawnCommand, ReportSpawnCommand } from '../command/index.js';

type Phase = 'taken' | 'claimed' | 'started' | 'ended' | 'closed';

interface Entry {
  readonly spawnId: string;
  readonly generation: number;
  readonly incarnation: string;
  phase: Phase;
  /** The report that it owes was acknowledged. */
  told: boolean;
}

/** What a node speaks to. */
export interface NodeDoor {
  readonly claims: ClaimSpawnHandler;
  readonly reports: ReportSpawnHandler;
}

/** A node whose journal outlives it: takes frames, claims, starts, tells. What it does wrong can be planted. */
export class SimulatedNode {
  up = true;
  notReady: string[] = [];
  /** How often an agent was started, by spawn. */
  readonly starts = new Map<string, number>();
  private readonly entries = new Map<string, Entry>();
  private incarnations = 1;

  constructor(
    readonly id: string,
    readonly journalId: string,
    private readonly door: NodeDoor,
    /** Sabotage: its journal forgets what it had when it dies. */
    private readonly forgets = false,
  ) {}

  get incarnation(): string {
    return `${this.id}-${String(this.incarnations)}`;
  }

  take({ runId: spawnId, generation }: Frame): void {
    const key = keyOf(spawnId, generation);
    if (this.entries.has(key)) return;
    const { incarnation } = this;
    this.entries.set(key, { spawnId, generation, incarnation, phase: 'taken', told: false });
  }

  /** Each entry takes one step. @param refuses an agent can't be started, this time. */
  async step(refuses: boolean): Promise<void> {
    if (!this.up) return;
    for (const entry of [...this.entries.values()]) await this.carry(entry, refuses);
  }

  /** The process dies, and comes back: nobody starts what it had not started. */
  die(): void {
    this.incarnations += 1;
    if (this.forgets) {
      for (const entry of this.entries.values()) {
        entry.phase = 'taken';
        entry.told = false;
      }
      return;
    }
    for (const entry of this.entries.values())
      if (entry.phase === 'taken' || entry.phase === 'claimed') entry.phase = 'closed';
  }

  /** The agents end by themselves. */
  endAgents(): void {
    for (const entry of this.entries.values()) if (entry.phase === 'started') this.end(entry);
  }

  answer(ask: AskRequest): AskAnswer | null {
    const { journalId, incarnation } = this;
    if (!this.up) return null;
    if (ask.journalId !== journalId) return { answer: 'other-journal', journalId };
    const key = keyOf(ask.runId, ask.generation);
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.entries.set(key, {
        spawnId: ask.runId,
        generation: ask.generation,
        incarnation: ask.holder ?? incarnation,
        phase: 'closed',
        told: false,
      });
      return { journalId, incarnation, answer: 'never-seen' };
    }
    entry.told = false; // The asker may have missed it.
    if (ask.question === 'stop' && entry.phase === 'started') this.end(entry);
    if (ask.question === 'stop' && entry.phase === 'taken') entry.phase = 'closed';
    return { journalId, incarnation, answer: STANDING[entry.phase] };
  }

  private end(entry: Entry): void {
    entry.phase = 'ended';
    entry.told = false;
  }

  private async carry(entry: Entry, refuses: boolean): Promise<void> {
    const { spawnId, generation } = entry;
    const { journalId, incarnation } = this;
    switch (entry.phase) {
      case 'taken': {
        const request = { spawnId, generation, journalId, incarnation };
        const answer = await this.door.claims.execute(
          new ClaimSpawnCommand('main', this.id, request, {}),
        );
        if (entry.phase === 'taken')
          entry.phase = answer.claim === 'granted' ? 'claimed' : 'closed';
        return;
      }
      case 'claimed':
        entry.phase = refuses ? 'closed' : 'started';
        if (!refuses) this.starts.set(spawnId, (this.starts.get(spawnId) ?? 0) + 1);
        return;
      case 'started':
      case 'ended':
      case 'closed':
        if (!entry.told) await this.tell(entry);
    }
  }

  private async tell(entry: Entry): Promise<void> {
    const { phase } = entry;
    await this.door.reports.execute(
      new ReportSpawnCommand('main', this.id, this.reportOf(entry), {}),
    );
    entry.told = entry.phase === phase;
  }

  private reportOf({ spawnId, generation, phase, incarnation: taken }: Entry): SpawnReport {
    const { journalId, incarnation } = this;
    const base = { spawnId, generation, journalId, incarnation, journalSequence: 1 };
    const seen = { evidence: 'its process group', workerCwd: '/work' };
    if (phase === 'started') return { ...base, kind: 'started', ...seen };
    if (phase === 'ended') return { ...base, kind: 'ended', ...seen };
    return { ...base, kind: 'not-started', disproves: taken, proof: 'closed in the journal' };
  }
}

const STANDING = {
  taken: 'waiting',
  claimed: 'starting',
  started: 'running',
  ended: 'ended',
  closed: 'closed',
} as const;

const keyOf = (spawnId: string, generation: number): string => `${spawnId}/${String(generation)}`;
