import type {
  Entry,
  EntryContext,
  EntryEvent,
  EntryStep,
  Grip,
  JournalEvent,
} from '#execution/domain';
import type { AttemptEnd } from '#runs/contract';
import { Memo, STEP, itemAt, withItem, wordAt, type StepKind } from '../engine/index.js';
import { AT, JOURNALS, RUN_ID, SIDES, incarnationOf, type Side } from './layout.js';
import { held, killed, programOf, withProgram, withdrawn, type Local } from './local.js';
import { frameOf, hasExit, hasLeftovers, isAlive, type Interners } from './memory.js';
import type { RunSetup } from './rules.js';
import type { Move, Words } from './steps.js';

const NO_OUTPUT = { bytes: 0, sha256: '', truncated: false } as const;
const IDENTITY = { pid: 1, startTicks: 1, bootId: 'boot' } as const;

/** The shell of a node agent: takes frames, and performs the one step that the project's `nextEntry` names. */
export class AgentShell {
  readonly #frames = new Memo((frames, entries, agent, side) =>
    this.#framesArrive(frames, entries, agent, side === 0 ? 0 : 1),
  );
  /** Of each journal: the last number is the runtime's history. */
  readonly #steps = SIDES.map(
    (side) =>
      new Memo((entries, agent, programs, history) =>
        this.#entriesStep(this.local(entries, agent, programs, history), side),
      ),
  );

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
  ) {}

  /** Any frame that was ever published may arrive now, for the first time or again. */
  frames(frames: number, entries: number, agent: number, side: Side): readonly Move[] {
    return this.#frames.of(frames, entries, agent, side);
  }

  steps(state: Int32Array, side: Side): readonly Move[] {
    return itemAt(this.#steps, side).of(
      wordAt(state, AT.entries + side),
      wordAt(state, AT.agent + side),
      wordAt(state, AT.programs + side),
      wordAt(state, AT.history),
    );
  }

  local(entries: number, agent: number, programs = 0, history = 0): Local {
    return {
      entries: this.interners.entries.at(entries),
      agent: this.interners.agents.at(agent),
      programs: this.interners.programs.at(programs),
      history,
    };
  }

  /** What `nextEntry` says of an entry, in every context that this agent may be in. */
  nextOf(entry: Entry, local: Local, side: Side): readonly EntryStep[] {
    const { agent } = local;
    const index = entry.generation - 1;
    const program = local.programs[index] ?? 'none'; // Generation 0 is asked about, and never had one.
    const steps = (this.setup.bounds.timeLimit ? [false, true] : [false]).flatMap((timeUp) => {
      const context: EntryContext = {
        incarnation: incarnationOf(side, agent.starts),
        grip: agent.grips[index] ?? 'none',
        placeFree: true,
        stopAsked: agent.stops[index] ?? false,
        shuttingDown: agent.life === 'leaving',
        timeUp,
        outlivesClient: this.setup.bounds.attempts === 'resumable',
        sighting: hasExit(program) ? 'exited' : isAlive(program) ? 'alive' : 'gone',
      };
      const next = this.setup.rules.nextEntry(entry, local.entries, context);
      return next.kind === 'take' ? [next.step] : [];
    });
    return steps.filter((step, at) => steps.findIndex((other) => sameStep(step, other)) === at);
  }

  words(local: Local, side: Side): Words {
    return [
      AT.entries + side,
      this.interners.entries.id(local.entries),
      AT.agent + side,
      this.interners.agents.id(local.agent),
      AT.programs + side,
      this.interners.programs.id(local.programs),
    ];
  }

  /** Journalled (fsync), in one step with what led to it. */
  journal(local: Local, ...records: readonly JournalEvent[]): Local {
    const { evolveEntries } = this.setup.rules;
    return { ...local, entries: records.reduce(evolveEntries, local.entries) };
  }

  /** Closed unstarted: the program, if it waits, is let go without `go`. */
  closed(local: Local, generation: number, side: Side, reason: string): Local {
    const incarnation = incarnationOf(side, local.agent.starts);
    const data = { runId: RUN_ID, generation, at: 0, reason, incarnation };
    return this.journal(withdrawn(local, generation), { type: 'EntryClosed', data });
  }

  #framesArrive(frames: number, entries: number, agent: number, side: Side): readonly Move[] {
    const memory = this.interners.agents.at(agent);
    const journal = this.interners.entries.at(entries);
    if (memory.life !== 'up') return []; // It takes none while it leaves.
    const self = { journalId: JOURNALS[side], incarnation: incarnationOf(side, memory.starts) };
    const moves: Move[] = [];
    for (const dispatched of this.interners.frames.at(frames)) {
      const { generation } = dispatched;
      for (const elsewhere of startingElsewhere(memory.grips, generation)) {
        const frame = frameOf(dispatched);
        const decided = this.setup.rules.decideFrame(journal, frame, self, elsewhere, 0);
        if (!('record' in decided)) continue;
        const known = this.setup.rules.evolveEntries(journal, decided.record);
        const grips =
          decided.kind === 'take'
            ? withItem<Grip>(memory.grips, generation - 1, 'taken')
            : memory.grips;
        moves.push({
          kind: STEP.fair,
          label: `${self.incarnation}: frame ${generation} (${dispatched.kind}) arrives, ${decided.kind === 'take' ? 'journalled' : 'refused for good'}`,
          words: [
            AT.entries + side,
            this.interners.entries.id(known),
            AT.agent + side,
            this.interners.agents.id({ ...memory, grips }),
          ],
        });
      }
    }
    return moves;
  }

  #entriesStep(local: Local, side: Side): readonly Move[] {
    if (local.agent.life === 'down') return [];
    return local.entries.entries.flatMap((entry) => {
      const move = (kind: StepKind, does: string, after: Local): Move => ({
        kind,
        label: `${incarnationOf(side, local.agent.starts)}: ${does}, generation ${entry.generation}`,
        words: [...this.words(after, side), AT.history, after.history],
      });
      const moves = this.nextOf(entry, local, side).flatMap((step) => {
        const after = this.#perform(step, entry, local, side);
        return after === null ? [] : [move(kindOf(step), nameOf(step), after)];
      });
      const freed = this.#freed(entry, local);
      return freed === null
        ? moves
        : [...moves, move(STEP.fair, 'sees that what was left alive has ended', freed)];
    });
  }

  /** Before it reports again, it looks again: what had been left alive has ended by itself. Null when there is no such thing. */
  #freed(entry: Entry, local: Local): Local | null {
    const { generation } = entry;
    if (!hasLeftovers(entry) || programOf(local, generation) === 'orphaned') return null;
    return this.#ended(local, generation, { how: 'lost', reason: 'gone' });
  }

  /** One step of `nextEntry`, performed. Null for those whose effect is a message, which may always be under way. */
  #perform(step: EntryStep, entry: Entry, local: Local, side: Side): Local | null {
    const { generation } = entry;
    const base = { runId: RUN_ID, generation, at: 0 };
    switch (step.kind) {
      case 'claim':
      case 'report':
        return null;
      case 'startShim': {
        const data = { ...base, shim: IDENTITY, child: IDENTITY, workDirectory: '' };
        const waiting = held(withProgram(local, generation, 'waits'), generation, 'shim');
        return this.journal(waiting, { type: 'ShimReady', data });
      }
      case 'journalGo': {
        const grip = itemAt(local.agent.grips, generation - 1) === 'watching' ? 'watching' : 'go';
        return this.journal(held(local, generation, grip), { type: 'GoDecided', data: base });
      }
      case 'giveGo': {
        const waits = programOf(local, generation) === 'waits';
        const given = waits ? withProgram(local, generation, 'given') : local;
        return held(given, generation, 'watching');
      }
      case 'adopt':
        return held(local, generation, 'watching');
      case 'close':
        return this.closed(local, generation, side, step.reason);
      case 'runLadder': {
        const end: AttemptEnd = { how: 'killed', by: step.by, remains: [] };
        return this.#ended(killed(local, generation), generation, end);
      }
      case 'journalExit':
        return this.#ended(local, generation, this.#exitOf(local, generation));
      case 'journalGone':
        return this.#ended(local, generation, this.#goneOf(local, generation));
    }
  }

  #exitOf(local: Local, generation: number): AttemptEnd {
    return programOf(local, generation) === 'exited'
      ? { how: 'completed', exitCode: 0 }
      : { how: 'failed', code: 'AGENT_EXITED', exitCode: 1 };
  }

  /**
   * What left no exit is asked about in the runtime's own record where there is one, and lost where there is none; beside
   * what it left alive nothing may be resumed.
   */
  #goneOf(local: Local, generation: number): AttemptEnd {
    const reason = 'gone';
    if (programOf(local, generation) === 'orphaned')
      return { how: 'lost', reason, remains: ['orphan'] };
    return this.setup.bounds.attempts === 'resumable'
      ? { how: 'interrupted', reason }
      : { how: 'lost', reason };
  }

  #ended(local: Local, generation: number, end: AttemptEnd): Local {
    const record: EntryEvent = {
      type: 'EndSeen',
      data: { runId: RUN_ID, generation, at: 0, end, output: NO_OUTPUT, receipts: {} },
    };
    return this.journal(held(local, generation, 'none'), record);
  }
}

/** Whether another entry of the run is being started; before its claim is answered, it may or may not hold a place. */
const startingElsewhere = (grips: readonly Grip[], generation: number): readonly boolean[] => {
  const others = grips.filter((_, index) => index !== generation - 1);
  if (others.some((grip) => grip !== 'none' && grip !== 'taken')) return [true];
  return others.includes('taken') ? [false, true] : [false];
};

const sameStep = (one: EntryStep, other: EntryStep): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** That a time limit passes is nothing that a recovery may count on. */
const kindOf = (step: EntryStep): StepKind =>
  step.kind === 'runLadder' && step.by === 'time-limit' ? STEP.fault : STEP.fair;

const nameOf = (step: EntryStep): string => {
  switch (step.kind) {
    case 'runLadder':
      return `runLadder (${step.by})`;
    case 'close':
      return `close (${step.reason})`;
    case 'claim':
    case 'startShim':
    case 'journalGo':
    case 'giveGo':
    case 'adopt':
    case 'journalExit':
    case 'journalGone':
    case 'report':
      return step.kind;
  }
};
