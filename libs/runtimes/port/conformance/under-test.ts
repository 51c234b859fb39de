import type { AttemptEnd, Receipt, RuntimeAdapter } from '#runtimes';

/** A prompt that reached the runtime, by a ledger outside of everything that the cases kill. */
export interface PromptSeen {
  readonly kind: 'initial' | 'recovery';
  /** It was put into a turn that was running already. */
  readonly steered: boolean;
}

/** One attempt: a real program behind the real shim. */
export interface AttemptUnderTest {
  /** Settles when the driver has this receipt on the disk. */
  until(receipt: Receipt['kind']): Promise<void>;
  /** SIGKILL to the whole group: nobody says goodbye. */
  kill(): Promise<void>;
  /** The stop ladder, as a node takes it. */
  stop(): Promise<void>;
  /** As the adapter reads the evidence once the program has ended. */
  readonly end: Promise<AttemptEnd>;
  output(): Promise<string>;
}

/** What the runtime does wrong from now on; those left out as before. */
export interface Levers {
  /** It forgets turns that it acknowledged. */
  readonly losesAcknowledgedTurns?: boolean;
  /** It interrupts a turn whose client died; otherwise it finishes it. */
  readonly abortsWhenClientDies?: boolean;
  /** It finds turns by our key. */
  readonly readsBackByKey?: boolean;
  /** It withholds this and all that follows from clients; the work goes on. */
  readonly withholds?: 'nothing' | 'acknowledgement' | 'observation' | 'end';
}

/** A resumable runtime with one run on it. A new one is made for each case. */
export interface ResumableUnderTest {
  readonly adapter: RuntimeAdapter;
  readonly config: unknown;
  /** Prompts in the runtime's own language. */
  readonly prompts: {
    /** Answers `answer` at once. */
    readonly quick: string;
    /** Works until the case lets it finish, then answers `answer`. */
    readonly slow: string;
    readonly answer: string;
    readonly fails: string;
  };
  /** Lets `slow` finish. */
  finishSlowWork(): Promise<void>;
  pull(levers: Levers): Promise<void>;
  /** Generation 1. */
  begin(prompt: string): Promise<AttemptUnderTest>;
  /** The next generation, as the node gives it after the one before: without the prompt. */
  resume(): Promise<AttemptUnderTest>;
  /** Prompts that reached the runtime so far, in order. */
  seen(): readonly PromptSeen[];
  /** Interruptions that it was asked for so far. */
  interruptions(): number;
  /** How often it refused something because another process of it works in the thread. */
  fenceRefusals(): number;
  /** Whether it shows the run's newest turn as finished. */
  hasFinished(): Promise<boolean>;
  killRuntime(): Promise<void>;
  startRuntime(): Promise<void>;
  /** Later attempts speak to a second process on the same data; the first lives on. */
  startSecondRuntime(): Promise<void>;
  close(): Promise<void>;
}

/** A single-attempt runtime with one run on it. */
export interface SingleUnderTest {
  readonly adapter: RuntimeAdapter;
  readonly config: unknown;
  readonly prompts: {
    readonly quick: string;
    readonly slow: string;
    readonly answer: string;
    readonly silent: string;
    readonly fails: string;
  };
  begin(prompt: string): Promise<AttemptUnderTest>;
  resume(): Promise<AttemptUnderTest>;
  /** How often a program was started for the run, by a ledger outside of it. */
  starts(): number;
  close(): Promise<void>;
}
