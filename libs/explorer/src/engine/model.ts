/**
 * Why a step may happen. `fair`: the protocol's own, it happens if nothing prevents it for ever · `repair`: a restart, a
 * reconnection · `choice`: an operator or a client · `fault`: a crash, a loss, an answer too late.
 */
export const STEP = { fair: 1, repair: 2, choice: 4, fault: 8 } as const;
export type StepKind = (typeof STEP)[keyof typeof STEP];

/** Where a model puts what may follow a state. */
export interface Sink {
  /** The successor is written here, then {@link Sink.step} is called. Its content is undefined before. */
  readonly to: Int32Array;
  /**
   * @param detail joined to the label in a trace only; two strings, because most steps are never shown.
   * @param broken bits of the invariants that this very step breaks, whatever state it leads to.
   */
  step(kind: StepKind, label: string, detail: string, broken: number): void;
}

/** A possibility property: wherever `need` holds, a state where `goal` holds can be reached by fair steps and repairs alone. */
export interface Goal {
  readonly name: string;
  /** In words: what is wrong where it fails. */
  readonly stuck: string;
  need(state: Int32Array): boolean;
  goal(state: Int32Array): boolean;
}

/** All that can happen, as a graph of packed states. */
export interface Model {
  /** Words in a state. */
  readonly width: number;
  /** Names of the invariants; the index is the bit. */
  readonly invariants: readonly string[];
  readonly goals: readonly Goal[];
  init(into: Int32Array): void;
  next(state: Int32Array, sink: Sink): void;
  /** Bits of the invariants that are broken in this state. */
  broken(state: Int32Array): number;
}
