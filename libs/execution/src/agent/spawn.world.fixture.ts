import type {
  AskAnswer,
  AskRequest,
  ClaimAnswer,
  Frame,
  ReportAnswer,
  RunReport,
  SpawnReport,
} from '#contracts';
import { fold, RuleViolation } from '#kernel';
import type { AttemptEnd } from '#runs/contract';
import {
  decideSpawn,
  evolveSpawn,
  initialSpawn,
  type ExistingSpawn,
  type SpawnCommand,
  type SpawnEvent,
} from '#spawns/domain';
import type { Entry } from '../domain/index.js';
import { JOURNAL, Machine, type MachineFaults } from './machine.fixture.js';
import type { NodeAgent } from './node.agent.js';
import type { CommandReply, NodeCommands } from './ports.js';

export const SPAWN = '00000000-0000-5000-8000-000000000002';

interface Faults extends MachineFaults {
  /** Switches a rule of the node off, so that the test must notice. */
  readonly startsWithoutClaim?: boolean;
  claimsUnanswered?: boolean;
  /** The connection to `commands`: what of a report gets lost. */
  lost?: (report: SpawnReport) => 'report' | 'answer' | 'nothing';
  /** `commands` takes it for malformed. */
  malformed?: (report: SpawnReport) => boolean;
}

/** A machine, the stream of the one spawn that it is given, and what it is told of it. */
export class SpawnWorld extends Machine {
  spawn: ExistingSpawn = fold(evolveSpawn, initialSpawn(SPAWN), DISPATCHED) as ExistingSpawn;
  /** What was said, heard or not. */
  readonly said: SpawnReport[] = [];
  readonly saidOfRuns: RunReport[] = [];
  protected readonly outlivesClient = false;

  constructor(private readonly switches: Faults = {}) {
    super(switches);
  }

  get entry(): Entry | undefined {
    return this.entriesOf(SPAWN).entries[0];
  }

  get kindsSaid(): readonly SpawnReport['kind'][] {
    return this.said.map(({ kind }) => kind);
  }

  get alive(): readonly string[] {
    return [...this.programs].filter(([, state]) => state === 'running').map(([key]) => key);
  }

  decide(command: SpawnCommand): void {
    this.spawn = fold(evolveSpawn, this.spawn, decideSpawn(command, this.spawn)) as ExistingSpawn;
  }

  /** The stream is restored to where its order was given, and the order is given anew. */
  restore(): void {
    this.spawn = fold(evolveSpawn, initialSpawn(SPAWN), DISPATCHED) as ExistingSpawn;
  }

  ask(agent: NodeAgent, question: AskRequest['question']): Promise<AskAnswer> {
    const holder = this.spawn.holder?.incarnation ?? null;
    const about = { work: 'spawn', runId: SPAWN, generation: 1, journalId: JOURNAL } as const;
    return agent.answer({ question, ...about, epoch: 1, holder });
  }

  protected endOfGone(): AttemptEnd {
    return { how: 'lost', reason: 'exit-not-seen', remains: [...this.orphans] };
  }

  protected commands(): NodeCommands {
    return {
      claim: () => Promise.resolve({ kind: 'answer', value: { claim: 'granted' } }),
      report: (report) => {
        this.saidOfRuns.push(report);
        return Promise.resolve({ kind: 'answer', value: { recorded: true } });
      },
      claimSpawn: (request): Promise<CommandReply<ClaimAnswer>> => {
        if (this.switches.claimsUnanswered === true) return Promise.resolve({ kind: 'no-answer' });
        if (this.switches.startsWithoutClaim === true)
          return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });
        try {
          this.decide({ type: 'ClaimSpawnFrame', now: 0, epoch: 1, ...request });
          return Promise.resolve({ kind: 'answer', value: { claim: 'granted' } });
        } catch (error) {
          if (!(error instanceof RuleViolation)) throw error;
          const value = { claim: 'refused', reason: error.code } as const;
          return Promise.resolve({ kind: 'answer', value });
        }
      },
      reportSpawn: (report): Promise<CommandReply<ReportAnswer>> => {
        this.said.push(report);
        const lost = this.switches.lost?.(report) ?? 'nothing';
        if (lost === 'report') return Promise.resolve({ kind: 'no-answer' });
        if (this.switches.malformed?.(report) === true)
          return Promise.resolve({ kind: 'refused', code: 'invalid_request' });
        this.decide(commandOf(report));
        return Promise.resolve(
          lost === 'answer' ? { kind: 'no-answer' } : { kind: 'answer', value: { recorded: true } },
        );
      },
    };
  }
}

/** The frame of a generation of the spawn, as its saga publishes it. */
export const spawnFrame = (changes: Partial<Frame> = {}): Frame => ({
  workspace: 'main',
  node: 'n1',
  journalId: JOURNAL,
  runId: SPAWN,
  sessionId: SPAWN,
  agent: 'reviewer',
  epoch: 1,
  generation: 1,
  kind: 'initial',
  prompt: 'Review it.',
  thread: null,
  turn: null,
  key: SPAWN,
  spawn: { harness: 'sample', directory: null },
  ...changes,
});

/** The frame of a run of its own. */
export const runFrame = (runId: string): Frame => {
  const { spawn: _none, ...frame } = spawnFrame({ runId, sessionId: runId, key: runId });
  return frame;
};

const at = { spawnId: SPAWN, at: 0 } as const;
const placement = { round: 1, token: 'a1'.repeat(16), nodeId: 'n1' } as const;

const DISPATCHED: readonly SpawnEvent[] = [
  {
    type: 'SpawnClaimed',
    data: {
      ...at,
      kind: 'strict',
      contract: 'relay.spawn.invoke.logical/1',
      principal: 'agent:lead',
      key: 'key-1',
      fingerprint: 'f',
      nodeId: 'n1',
      nodeName: 'n1',
      capabilities: [],
      agentName: 'reviewer',
      harness: 'sample',
      task: 'Review it.',
      directory: null,
      verifyReady: false,
      epoch: 1,
    },
  },
  { type: 'SpawnPlacementIntended', data: { ...at, ...placement, until: 30_000 } },
  {
    type: 'SpawnDispatched',
    data: {
      ...at,
      ...placement,
      generation: 1,
      nodeName: 'n1',
      journalId: JOURNAL,
      reservedAt: 0,
      retryAfterAt: 30_000,
      epoch: 1,
    },
  },
];

/** The command that the commands service makes of a report. */
const commandOf = (report: SpawnReport): SpawnCommand => {
  const { spawnId, generation, journalId, incarnation } = report;
  const base = { spawnId, generation, journalId, incarnation, now: 0 };
  switch (report.kind) {
    case 'not-started': {
      const { disproves, proof } = report;
      return { ...base, type: 'ReportAgentNotStarted', disproves, proof };
    }
    case 'started': {
      const { evidence, workerCwd } = report;
      return { ...base, type: 'ReportAgentStarted', evidence, workerCwd };
    }
    case 'ended': {
      const { evidence, workerCwd } = report;
      return { ...base, type: 'ReportAgentEnded', evidence, workerCwd };
    }
  }
};
