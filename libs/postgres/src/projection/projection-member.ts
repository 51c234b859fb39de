import { EPOCH_REF, StreamDiverged, epochOf, type Commit, type EventStore } from '#event-store';
import type { Database } from '../database.js';
import {
  findCheckpoint,
  openCheckpoint,
  recordFinding,
  removeBuildingCheckpoint,
  type Checkpoint,
} from './checkpoints.js';
import { findingOn } from './checkpoint.verdict.js';
import {
  SteppedDown,
  type Projection,
  type ProjectionState,
  type ProjectionStatus,
} from './projection.js';
import {
  BUILD_BOUNDS,
  ProjectionBuild,
  type BuildBounds,
  type BuildPorts,
} from './projection-build.js';
import { projectBatch } from './projection-transaction.js';

/** Told of what a projection does: for logs and metrics. */
export interface ProjectionObserver {
  /** A batch was committed. */
  written(
    projection: string,
    batch: {
      readonly commits: readonly Commit[];
      readonly rows: number;
      readonly ms: number;
      readonly position: number;
    },
  ): void;
  /** It stopped: the stream contradicts its checkpoint. */
  finding(projection: string, finding: string): void;
  /** Something failed and is tried again; undefined when it concerns all of them. */
  problem(projection: string | undefined, problem: unknown): void;
}

/** Who may write a projection. Only saves work, see {@link AdvisoryLocks}. */
export interface ProjectionLocks {
  tryAcquire(name: string): Promise<boolean>;
  onLost(callback: (name: string) => void): () => void;
}

export interface MemberPorts {
  readonly database: Database;
  readonly store: Pick<EventStore, 'epoch' | 'end' | 'at'>;
  readonly locks: ProjectionLocks;
  readonly observer: ProjectionObserver;
  /** When a projection is built rather than followed, and what that may hold. Default {@link BUILD_BOUNDS}. */
  readonly build?: Partial<BuildBounds>;
}

/** A position that no row depends on may stay unsaved for so long: a killed process then reads a little again. */
export const IDLE_SAVE_MS = 200;
/** The pause after a failed write: doubled each time. */
const RETRY_MS = { first: 100, max: 30_000 };
/** How often one that follows looks whether its checkpoint is still there. */
const CHECKPOINT_LOOK_MS = 2_000;
/** How often a stopped projection is looked at again: a rebuild or a repaired stream lets it go on. */
const STOPPED_LOOK_MS = 5_000;

/** One projection of a group: its checkpoint, where it stands, and when it is tried again. */
export class ProjectionMember {
  private state: ProjectionState = 'opening';
  private problem: string | null = null;
  /** As it is stored: the fence of the next write. */
  private saved: Checkpoint | undefined;
  /** Makes its rows from nothing; undefined while they are followed. */
  private build: ProjectionBuild | undefined;
  /** The newest commit that was seen and changes no row, not saved yet. */
  private unsaved: Commit | undefined;
  /** The end of the stream as it was last looked at: only there it is asked for again. */
  private buildUntil = 0;
  private savedAtMs = 0;
  private retryAtMs = 0;
  private lookAtMs = 0;
  private failures = 0;

  constructor(
    readonly projection: Projection,
    private readonly ports: MemberPorts,
  ) {}

  get status(): ProjectionStatus {
    const { state, problem } = this;
    return { name: this.projection.name, state, position: this.position, problem };
  }

  /** Whether it takes what the stream brings. */
  get isTaking(): boolean {
    return this.state === 'following' || this.state === 'building';
  }

  /** Whether there is something to be done while the stream brings nothing. */
  get hasUnsaved(): boolean {
    return this.unsaved !== undefined || this.build !== undefined;
  }

  /** The last sequence that it has seen; all that its rows need of it is contained. */
  get position(): number {
    return this.build?.position ?? this.unsaved?.revision ?? this.saved?.sequence ?? 0;
  }

  /**
   * Whether a look from outside might let it follow again.
   *
   * @throws Error the database could not be asked.
   */
  async wantsToFollow(): Promise<boolean> {
    switch (this.state) {
      case 'following':
      case 'building':
        return this.isLeftBehind();
      case 'opening':
        return true;
      case 'standby':
        return this.ports.locks.tryAcquire(lockName(this.projection));
      case 'failing':
      case 'stopped':
        return performance.now() >= this.retryAtMs;
    }
  }

  /** While nothing happens nobody else would notice that its rows were thrown away, to be made anew. */
  private async isLeftBehind(): Promise<boolean> {
    const { saved } = this;
    if (saved === undefined || performance.now() < this.lookAtMs) return false;
    this.lookAtMs = performance.now() + CHECKPOINT_LOOK_MS;
    const { sql } = this.ports.database;
    const stored = await findCheckpoint(sql, saved.name, saved.generation);
    return stored === undefined || stored.sequence < saved.sequence;
  }

  /**
   * Takes its checkpoint and compares it with the stream; follows from there if they agree.
   *
   * @throws whatever says that the database or the stream can't be read now.
   */
  async open(): Promise<void> {
    const { projection, ports } = this;
    this.unsaved = undefined;
    this.build = undefined; // What it held is read again: it is little.
    if (!(await ports.locks.tryAcquire(lockName(projection)))) {
      this.enter('standby', null);
      return;
    }
    if (this.state === 'failing' && performance.now() < this.retryAtMs) return;
    const epoch = await ports.store.epoch();
    const saved = await openCheckpoint(ports.database.sql, projection.name, epoch);
    this.saved = saved;
    const end = await ports.store.end(saved.sequence);
    const there = saved.sequence === 0 ? undefined : await ports.store.at(saved.sequence);
    const finding = findingOn(saved, { epoch, end, hash: there?.bodyHash });
    if (finding !== null) await this.stop(finding);
    else if (await ProjectionBuild.isWanted(this.buildPorts, projection, saved, end))
      await this.beginBuild(saved, end);
    else {
      // What was built beside rows that are followed by now can take no place any more.
      if (saved.sequence > 0) await removeBuildingCheckpoint(ports.database.sql, projection.name);
      this.enter('following', null);
    }
  }

  private async beginBuild(live: Checkpoint, end: number): Promise<void> {
    this.build = await ProjectionBuild.open(this.buildPorts, this.projection, live, end);
    this.saved = this.build.checkpoint;
    this.buildUntil = end;
    this.enter('building', null);
  }

  private get buildPorts(): BuildPorts {
    const { database, store, build } = this.ports;
    return { database, store, bounds: { ...BUILD_BOUNDS, ...build } };
  }

  /** Takes what a batch holds after its position. Never rejects: what went wrong is its state. */
  async take(batch: readonly Commit[]): Promise<void> {
    if (!this.isTaking) return;
    const { position, projection } = this;
    const news = batch.filter(({ revision }) => revision > position);
    const last = news[news.length - 1];
    if (last === undefined) return;
    const restored = news.find((commit) => isLaterEpoch(commit, this.saved?.epoch ?? 0));
    if (restored !== undefined) {
      await this.stop(
        `the stream was restored: sequence ${restored.revision} starts another epoch`,
      );
      return;
    }
    if (this.build !== undefined) {
      await this.buildOn(this.build, news);
      return;
    }
    const touches = news.some(({ ref }) => projection.aggregates.includes(ref.aggregate));
    if (touches || performance.now() - this.savedAtMs >= IDLE_SAVE_MS) await this.write(news);
    else this.unsaved = last;
  }

  /** The stream brings nothing now: saves a position that no row depends on, or ends a build that has come to its end. */
  async save(): Promise<void> {
    if (!this.isTaking) return;
    if (this.build !== undefined) await this.buildOn(this.build, []);
    else if (this.unsaved !== undefined) await this.write([this.unsaved]);
  }

  /** The stream itself can't be followed: it contradicts what was read before. */
  async stop(finding: string): Promise<void> {
    this.enter('stopped', finding);
    this.retryAtMs = performance.now() + STOPPED_LOOK_MS;
    this.ports.observer.finding(this.projection.name, finding);
    if (this.saved === undefined) return;
    try {
      await recordFinding(this.ports.database.sql, this.saved, finding);
    } catch (problem) {
      this.ports.observer.problem(this.projection.name, problem); // It is in the log and in the metrics as well.
    }
  }

  private async write(news: readonly Commit[]): Promise<void> {
    const { projection, ports, saved } = this;
    if (saved === undefined) return;
    await this.tried(news, async () => {
      const { checkpoint, rows } = await projectBatch(ports.database, projection, saved, news);
      this.saved = checkpoint;
      this.unsaved = undefined;
      this.savedAtMs = performance.now();
      return rows;
    });
  }

  private async buildOn(build: ProjectionBuild, news: readonly Commit[]): Promise<void> {
    await this.tried(news, async () => {
      const taken = await build.take(news);
      this.saved = build.checkpoint;
      if (build.position < this.buildUntil) return taken;
      this.buildUntil = await this.ports.store.end(build.position);
      if (!build.isLevelWith(this.buildUntil)) return taken; // It went on meanwhile.
      const { checkpoint, rows } = await build.putInPlace();
      this.saved = checkpoint;
      this.build = undefined;
      this.enter('following', null);
      return taken + rows;
    });
  }

  private async tried(news: readonly Commit[], work: () => Promise<number>): Promise<void> {
    const { projection, ports } = this;
    const startedAtMs = performance.now();
    try {
      const rows = await work();
      this.failures = 0;
      if (news.length === 0 && rows === 0) return; // It only looked.
      const ms = performance.now() - startedAtMs;
      ports.observer.written(projection.name, { commits: news, rows, ms, position: this.position });
    } catch (problem) {
      this.failed(problem);
    }
  }

  private failed(problem: unknown): void {
    this.ports.observer.problem(this.projection.name, problem);
    this.unsaved = undefined;
    this.build = undefined;
    if (problem instanceof SteppedDown) {
      this.enter('opening', problem.message);
      return;
    }
    this.failures += 1;
    this.retryAtMs =
      performance.now() + Math.min(RETRY_MS.first * 2 ** (this.failures - 1), RETRY_MS.max);
    this.enter('failing', problem instanceof Error ? problem.message : String(problem));
  }

  private enter(state: ProjectionState, problem: string | null): void {
    this.state = state;
    this.problem = problem;
  }
}

export const lockName = ({ name }: Pick<Projection, 'name'>): string => `projection.${name}`;

const isLaterEpoch = (commit: Commit, epoch: number): boolean =>
  commit.ref.aggregate === EPOCH_REF.aggregate && epochOf([commit]) > epoch;

/** What a problem with the stream says about all projections; undefined when it is only out of reach. */
export const contradictionIn = (problem: unknown): string | undefined =>
  problem instanceof StreamDiverged ? problem.message : undefined;
