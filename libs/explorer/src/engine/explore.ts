import { STEP, type Goal, type Model, type StepKind } from './model.js';
import { StateTable } from './state-table.js';
import { itemAt, wordAt, withRoom } from './words.js';

export interface ExploreOptions {
  /** Stops as soon as this invariant is broken (negative controls). Goals are judged only without it. */
  readonly until?: string;
  /** Gives up past so many states. */
  readonly statesMax: number;
}

/** An invariant or goal that does not hold, with the shortest way to where it fails. */
export interface Broken {
  readonly name: string;
  readonly trace: readonly string[];
}

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** Every reachable state was seen, and every goal judged. */
  readonly exhausted: boolean;
  readonly broken: readonly Broken[];
  readonly tookMs: number;
}

const LIVE = STEP.fair | STEP.repair;

/** What is kept of each state beside its words. */
interface Marks {
  readonly parents: Int32Array<ArrayBuffer>;
  /** Two bits a goal: needed here, reached here. */
  readonly goals: Int32Array<ArrayBuffer>;
}

/**
 * Visits every reachable state, nearest first, so that each counterexample is the shortest.
 *
 * @param nowMs the clock, for the report alone.
 */
export const explore = (
  model: Model,
  options: ExploreOptions,
  nowMs: () => number,
): Exploration => {
  const startedAt = nowMs();
  const walk = new Walk(model, options);
  const exhausted = walk.run();
  if (exhausted) model.goals.forEach((goal, index) => walk.judge(goal, index));
  return {
    states: walk.states,
    transitions: walk.transitions,
    exhausted,
    broken: walk.broken.sort((one, other) => one.name.localeCompare(other.name)),
    tookMs: nowMs() - startedAt,
  };
};

class Walk {
  readonly broken: Broken[] = [];
  transitions = 0;
  readonly #table: StateTable;
  #marks: Marks = { parents: new Int32Array(1 << 14), goals: new Int32Array(1 << 14) };
  /** Successors by fair steps and repairs, one list a state, end to end. */
  #edges = new Int32Array(1 << 16);
  #edgesFrom = new Int32Array(1 << 14);
  #edgeCount = 0;
  #brokenBits = 0;
  readonly #to: Int32Array;
  readonly #goals: readonly Goal[];

  constructor(
    private readonly model: Model,
    private readonly options: ExploreOptions,
  ) {
    this.#table = new StateTable(model.width);
    this.#to = new Int32Array(model.width);
    this.#goals = model.goals;
  }

  get states(): number {
    return this.#table.size;
  }

  /** @returns whether the whole space was seen. */
  run(): boolean {
    const { model } = this;
    const state = new Int32Array(model.width);
    model.init(this.#to);
    this.#arrive(-1);
    let from = 0;
    const sink = {
      to: this.#to,
      step: (kind: StepKind, label: string, detail: string, broken: number): void => {
        this.transitions++;
        const id = this.#arrive(from);
        if ((broken & ~this.#brokenBits) !== 0)
          this.#breaks(broken, [...this.#trace(from), shown(label, detail)]);
        if ((kind & LIVE) === 0 || id === from) return;
        this.#edges = withRoom(this.#edges, this.#edgeCount + 1);
        this.#edges[this.#edgeCount++] = id;
      },
    };
    for (; from < this.#table.size; from++) {
      this.#edgesFrom = withRoom(this.#edgesFrom, from + 2);
      this.#edgesFrom[from] = this.#edgeCount;
      if (this.#foundAll() || this.#table.size > this.options.statesMax) return false;
      this.#table.read(from, state);
      model.next(state, sink);
      this.#edgesFrom[from + 1] = this.#edgeCount;
    }
    return !this.#foundAll();
  }

  #foundAll(): boolean {
    const { until } = this.options;
    return until !== undefined && this.broken.some(({ name }) => name === until);
  }

  #arrive(from: number): number {
    const before = this.#table.size;
    const id = this.#table.add(this.#to);
    if (id < before) return id;
    const parents = withRoom(this.#marks.parents, id + 1);
    const goals = withRoom(this.#marks.goals, id + 1);
    this.#marks = { parents, goals };
    parents[id] = from;
    let bits = 0;
    this.#goals.forEach((goal, index) => {
      if (goal.need(this.#to)) bits |= 1 << (2 * index);
      if (goal.goal(this.#to)) bits |= 2 << (2 * index);
    });
    goals[id] = bits;
    const broken = this.model.broken(this.#to);
    if ((broken & ~this.#brokenBits) !== 0) this.#breaks(broken, this.#trace(id));
    return id;
  }

  #breaks(bits: number, trace: readonly string[]): void {
    this.model.invariants.forEach((name, index) => {
      if ((bits & ~this.#brokenBits & (1 << index)) !== 0) this.broken.push({ name, trace });
    });
    this.#brokenBits |= bits;
  }

  /** Can the goal be reached from wherever it is needed? Backwards from where it is, until nothing is added. */
  judge(goal: Goal, index: number): void {
    const count = this.#table.size;
    const reaches = new Uint8Array(count);
    for (let id = 0; id < count; id++)
      if ((wordAt(this.#marks.goals, id) & (2 << (2 * index))) !== 0) reaches[id] = 1;
    // Fair steps lead on in the order of arrival nearly always, so a few passes from the end suffice.
    for (let added = true; added;) {
      added = false;
      for (let id = count - 1; id >= 0; id--) {
        if (reaches[id] === 1) continue;
        const end = wordAt(this.#edgesFrom, id + 1);
        for (let edge = wordAt(this.#edgesFrom, id); edge < end; edge++)
          if (reaches[wordAt(this.#edges, edge)] === 1) {
            reaches[id] = 1;
            added = true;
            break;
          }
      }
    }
    for (let id = 0; id < count; id++)
      if ((wordAt(this.#marks.goals, id) & (1 << (2 * index))) !== 0 && reaches[id] === 0) {
        this.broken.push({ name: goal.name, trace: [...this.#trace(id), `(${goal.stuck})`] });
        return;
      }
  }

  /** The labels on the way to a state: each is found again among its parent's steps. */
  #trace(id: number): readonly string[] {
    const path: number[] = [];
    for (let at = id; at > 0; at = wordAt(this.#marks.parents, at)) path.unshift(at);
    return path.map((at) => this.#labelInto(at));
  }

  #labelInto(id: number): string {
    const parent = new Int32Array(this.model.width);
    this.#table.read(wordAt(this.#marks.parents, id), parent);
    const wanted = new Int32Array(this.model.width);
    this.#table.read(id, wanted);
    const to = new Int32Array(this.model.width);
    const labels: string[] = [];
    this.model.next(parent, {
      to,
      step: (_kind, label, detail) => {
        if (to.every((word, at) => word === wanted[at])) labels.push(shown(label, detail));
      },
    });
    return itemAt(labels, 0);
  }
}

const shown = (label: string, detail: string): string =>
  detail === '' ? label : `${label}: ${detail}`;
