import type { Epoch, Instant, Provenance } from '#kernel';
import type { LeaseReader, LeaseVerdict, NodeDirectory } from '#nodes/contract';
import type { SessionPlaces } from '#sessions/contract';
import type { NodeView } from './run.next.js';
import type { LoadedRun } from './run.performed.js';

/** What a run's next step rests on beside the run. */
export interface Surroundings {
  readonly epoch: Epoch;
  readonly admitted: boolean;
  readonly node: NodeView;
  /** When its node's lease was last renewed, by this machine's clock; null when that was not looked up. */
  readonly lastHeardAt: Instant | null;
}

/** A node that nobody looked at, because the step does not depend on it. */
const NOT_LOOKED_AT: NodeView = { liveness: 'unclear', journalId: null, accepting: true };

/** Looks up what a run's next step rests on, and only what it rests on: each look is a question to the broker. */
export class RunSurroundings {
  constructor(
    private readonly epochs: { epoch(): Promise<Epoch> },
    private readonly places: SessionPlaces,
    private readonly nodes: NodeDirectory,
    private readonly leases: LeaseReader,
    private readonly now: () => Instant,
  ) {}

  /** @param by who gives the run its place in a session, when whoever accepted it died before that. */
  async of(run: LoadedRun, by: Provenance): Promise<Surroundings> {
    const base = {
      epoch: await this.epochs.epoch(),
      admitted: true,
      node: NOT_LOOKED_AT,
      lastHeardAt: null,
    };
    switch (run.state.status) {
      case 'queued': {
        const admitted = await this.isAdmitted(run, by);
        return admitted ? { ...base, ...(await this.nodeOf(run)) } : { ...base, admitted };
      }
      case 'running':
      case 'unknown':
        return { ...base, ...(await this.nodeOf(run)) };
      case 'dispatched':
      case 'stopping':
      case 'completed':
      case 'failed':
      case 'stopped':
      case 'abandoned':
        return base;
    }
  }

  private async isAdmitted(run: LoadedRun, by: Provenance): Promise<boolean> {
    const { sessionId, opensSession } = run.state.submission;
    if (opensSession) return true;
    const { workspace, id } = run.ref;
    const standing = await this.places.standing(workspace, sessionId, id);
    if (standing !== 'absent') return standing === 'admitted';
    // Its second commit is missing: made here, or by its handler, whoever is first.
    await this.places.enqueue(workspace, sessionId, id, by);
    return (await this.places.standing(workspace, sessionId, id)) === 'admitted';
  }

  private async nodeOf(run: LoadedRun): Promise<Pick<Surroundings, 'node' | 'lastHeardAt'>> {
    const { workspace } = run.ref;
    const { node: name } = run.state.submission;
    const [node, verdict] = await Promise.all([
      this.nodes.find(workspace, name, 'any'),
      this.leases.judge(workspace, name),
    ]);
    const { journalId } = node;
    // A node that left may be alive and at work; but it takes nothing more.
    const isGone = journalId === null && run.state.status === 'queued';
    const liveness = isGone ? 'gone' : LIVENESS[verdict.kind];
    return { node: { liveness, journalId, accepting: true }, lastHeardAt: this.heardAt(verdict) };
  }

  private heardAt(verdict: LeaseVerdict): Instant | null {
    switch (verdict.kind) {
      case 'alive':
      case 'expired':
        return this.now() - Math.round(verdict.ageMs);
      case 'never':
      case 'cannot-tell':
        return null;
    }
  }
}

const LIVENESS = {
  alive: 'alive',
  expired: 'silent',
  // It joined, and has not renewed yet: it may do so at any moment.
  never: 'unclear',
  'cannot-tell': 'unclear',
} as const;
