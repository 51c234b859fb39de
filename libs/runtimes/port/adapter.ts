import type { RuntimeCapabilities } from './capabilities.js';
import type { AttemptEnd, AttemptEvidence } from './evidence.js';
import type { RuntimeReferences } from './references.js';

/** One generation of one run, as its node hands it to the runtime. */
export interface WorkOrder {
  /** Also the key that the runtime is given: the run's, never the generation's. */
  readonly runId: string;
  readonly session: string;
  readonly agent: string;
  readonly generation: number;
  /** Only an initial order has the prompt: what a resumption does not have, it can't send. */
  readonly ask:
    | { readonly kind: 'initial'; readonly prompt: string }
    | { readonly kind: 'resume'; readonly references: RuntimeReferences };
  /** Absolute. Its files are the evidence of this generation alone. */
  readonly workdir: string;
  /** Work directories of the run's earlier attempts, oldest first: what they sent must be known before anything is sent. */
  readonly earlierWorkdirs: readonly string[];
}

/** How to start a program for a work order. The launcher adds the shim, the mark and the work directory. */
export interface LaunchPlan {
  readonly argv: readonly [string, ...string[]];
  /** Absolute. Without it the program gets a folder of its own, which the launcher makes below the work directory. */
  readonly cwd?: string;
  /** Additions to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables of the agent's own environment that the program is given as well. */
  readonly passEnv: readonly string[];
  /** Content of standard input; without it the program reads an empty one. */
  readonly stdin?: string;
  /** Written into the work directory before the start. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
  /** How long the program may run, counted from `go`; without it, for ever. Unit: milliseconds. */
  readonly timeLimitMs?: number;
}

/** The order can't be carried out by this runtime as configured. Nothing was started, and nothing may be tried instead. */
export class PlanRefused extends Error {
  override readonly name = 'PlanRefused';
  constructor(
    readonly code: 'PROMPT_TOO_LARGE' | 'PROMPT_NOT_TEXT' | 'NOT_RESUMABLE',
    message: string,
  ) {
    super(message);
  }
}

/** A checked configuration, or everything that is wrong with it. */
export type Validated<Config> =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * One kind of runtime. All of it is pure: the launcher starts, the node's journal remembers, and a driver program (for
 * runtimes that are spoken to) speaks. So an attempt of any runtime is a program behind a shim, and can be adopted.
 */
export interface RuntimeAdapter<Config = unknown> {
  /** As in configurations and in a run's capability matrix. */
  readonly name: string;
  /** What an agent with this configuration can do. */
  capabilities(config: Config): RuntimeCapabilities;
  /** Checks the part of an agent's configuration that is this runtime's. Never throws. */
  validateConfig(raw: unknown): Validated<Config>;
  /** The most bytes of UTF-8 that a prompt for this agent may have: a caller is told at submission, not at the node. */
  promptMaxBytes(config: Config): number;
  /** @throws PlanRefused */
  plan(order: WorkOrder, config: Config): LaunchPlan;
  /** What the evidence says, and no more: what it leaves open is `lost`, or `interrupted` where the runtime can be asked again. */
  interpret(evidence: AttemptEvidence, config: Config): AttemptEnd;
}
