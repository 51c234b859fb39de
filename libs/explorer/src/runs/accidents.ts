import type { Grip } from '#execution/domain';
import { Memo, STEP, withItem } from '../engine/index.js';
import type { AgentShell } from './agent.js';
import { AT, HISTORY, JOURNALS, SIDES, incarnationOf, type Side } from './layout.js';
import { killed, machineDead, orphaned, type Local } from './local.js';
import { isAlive, wasStarted, type Interners, type Program } from './memory.js';
import type { RunSetup } from './rules.js';
import type { Move } from './steps.js';

/** What programs do by themselves, and what befalls them and their agents. */
export class Accidents {
  /** Programs that have `go` run, whatever becomes of their agent. `history`: of the runtime. */
  readonly runtime = SIDES.map(
    (side) =>
      new Memo((entries, programs, received, history) =>
        this.#runtime(entries, this.interners.programs.at(programs), received, history, side),
      ),
  );
  /** Each costs one of the crashes that are left. */
  readonly deaths = SIDES.map(
    (side) =>
      new Memo((agent, programs, _none, history) =>
        this.#deaths(this.agents.local(0, agent, programs, history), side),
      ),
  );
  readonly exits = SIDES.map(
    (side) =>
      new Memo((agent, programs, _none, history) =>
        this.#exits(this.agents.local(0, agent, programs, history), side),
      ),
  );

  constructor(
    private readonly setup: RunSetup,
    private readonly interners: Interners,
    private readonly agents: AgentShell,
  ) {}

  #runtime(
    entries: number,
    programs: readonly Program[],
    received: number,
    history: number,
    side: Side,
  ): readonly Move[] {
    const journal = this.interners.entries.at(entries);
    const moves: Move[] = [];
    programs.forEach((program, index) => {
      const generation = index + 1;
      const add = (does: string, next: Program, words: readonly number[] = []): void => {
        const after = this.interners.programs.id(withItem(programs, index, next));
        const label = `runtime: ${does}, generation ${generation} of ${JOURNALS[side]}`;
        moves.push({ kind: STEP.fair, label, words: [AT.programs + side, after, ...words] });
      };
      if (program === 'working') {
        const recorded = this.#remembers ? HISTORY.finished : HISTORY.none;
        add('finishes', 'exited', [AT.history, recorded]);
      }
      if (program === 'orphaned') add('what was left alive ends', 'dead');
      if (program !== 'given') return;
      const frame = journal.entries.find((entry) => entry.generation === generation)?.frame;
      if (frame?.kind === 'initial') {
        const times = Math.min(2, received + 1);
        const recorded = this.#remembers ? HISTORY.progress : HISTORY.none;
        const words = [AT.received, times, AT.history, recorded];
        add('receives the initial prompt', 'working', words);
        return;
      }
      // A resume looks the turn up; while somebody else works on it, it waits.
      if (history === HISTORY.interrupted)
        add('recovery prompt', 'working', [AT.history, HISTORY.progress]);
      if (history === HISTORY.finished) add('reads back a finished turn', 'exited');
      if (history === HISTORY.none) add('finds no turn', 'failed');
    });
    return moves;
  }

  get #remembers(): boolean {
    return this.setup.bounds.attempts === 'resumable';
  }

  #deaths(local: Local, side: Side): readonly Move[] {
    const { agent, programs } = local;
    const who = incarnationOf(side, agent.starts);
    const running = programs.map((program) => wasStarted(program) && isAlive(program));
    const moves: Move[] = [];
    const add = (label: string, after: Local): void => {
      moves.push({ kind: STEP.fault, label, words: this.#words(after, side) });
    };
    if (agent.life !== 'down') {
      add(`${who}: SIGKILL`, this.#agentDead(local));
      if (running.includes(true) || programs.includes('orphaned'))
        add(`${who}: its machine dies`, this.#agentDead(machineDead(local)));
    }
    if (agent.life === 'up' && this.setup.bounds.shutdowns)
      add(`${who}: SIGTERM`, { ...local, agent: { ...agent, life: 'leaving' } });
    running.forEach((runs, index) => {
      if (!runs) return;
      const label = `${JOURNALS[side]}: the program of generation ${index + 1} is killed`;
      add(label, killed(local, index + 1));
      if (this.setup.bounds.orphans)
        add(`${label}, what it had started lives on`, orphaned(local, index + 1));
    });
    return moves;
  }

  /** It leaves within its time, whatever is left to do. */
  #exits(local: Local, side: Side): readonly Move[] {
    if (local.agent.life !== 'leaving') return [];
    const label = `${incarnationOf(side, local.agent.starts)}: exits`;
    return [{ kind: STEP.fair, label, words: this.#words(this.#agentDead(local), side) }];
  }

  /** Its memory is gone, and a program that waited for `go` leaves. */
  #agentDead(local: Local): Local {
    const { agent } = local;
    const orphan = this.setup.shell.shimDiesWithAgent ? 'none' : 'given';
    return {
      ...local,
      agent: {
        ...agent,
        life: 'down',
        grips: agent.grips.map((): Grip => 'none'),
        stops: agent.stops.map(() => false),
      },
      programs: local.programs.map((known) => (known === 'waits' ? orphan : known)),
    };
  }

  #words(local: Local, side: Side): readonly number[] {
    const words = this.agents.words(local, side);
    return [...words.slice(2), AT.history, local.history]; // Not the journal: nothing is written.
  }
}
