/**
 * `npm run soak`: kills every process of a whole system, round after round, while runs stand in every state; times what
 * follows a death; and writes a report that claims what was done and nothing else.
 */
import { loadavg } from 'node:os';
import { inspect } from 'node:util';
import { DEFAULT_WINDOWS } from '#platform';
import {
  sabotagedBuild,
  WITHOUT_MEMORY_OF_STARTS,
  WITHOUT_THE_CLAIM,
  WITHOUT_THE_EXPECTED_SEQUENCE,
  type Sabotage,
} from '../support/sabotage.js';
import { checkoutOf, machineOf, systemOf } from './environment.js';
import { leftBehindOf } from './left-behind.js';
import { Measures } from './measures.js';
import { HELP, parseSoakOptions, type SABOTAGES, type SoakOptions } from './options.js';
import { POSSIBLE_PAIRS } from './pairs.js';
import {
  matrixOf,
  pairsNotHit,
  verdictOf,
  type ControlReport,
  type Environment,
  type RoundReport,
  type SoakReport,
} from './report.js';
import { doRounds, unlessAborted, type RoundsDone, type Watch } from './rounds.js';
import { timedSystem, timeEverything, type Timings } from './timings.js';
import { writeReport } from './write.js';

/** Without `once` a prompt is sent twice; the claim alone is not enough for that, since the node refuses what it has started. */
const BUILDS: Readonly<Record<(typeof SABOTAGES)[number], readonly Sabotage[]>> = {
  once: [WITHOUT_THE_CLAIM, WITHOUT_MEMORY_OF_STARTS],
  claim: [WITHOUT_THE_CLAIM],
  sequence: [WITHOUT_THE_EXPECTED_SEQUENCE],
};
/** A build without a rule is caught by then, or the checks are worth nothing. */
const CONTROL_ROUNDS_MAX = 5;
const CONTROL = 'once';
const CONTROL_IN_WORDS = 'whose node starts without a claim, and forgets what it has started';

const EXIT = { good: 0, bad: 1, usage: 2, tooLittle: 3, interrupted: 130 } as const;

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Aborts at the first Ctrl-C; the second one leaves at once. */
const interruption = (): AbortSignal => {
  const ending = new AbortController();
  const interrupt = (): void => {
    if (ending.signal.aborted) process.exit(EXIT.interrupted);
    say('ending; the report is written of what was done (Ctrl-C again leaves at once)');
    // What a round was waiting for now fails, as it must, while its system goes down.
    process.on('unhandledRejection', () => undefined);
    ending.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return ending.signal;
};

class Soak {
  private readonly measures = new Measures();
  private readonly from = performance.now();
  private system: Pick<Environment, 'versions' | 'durability'> = { versions: {}, durability: '' };
  private readonly leftBehind: string[] = [];

  constructor(
    private readonly options: SoakOptions,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<SoakReport> {
    const startedAt = new Date().toISOString();
    const checkout = await checkoutOf();
    const [load] = loadavg();
    const { parts, sabotage, seed } = this.options;
    const control = parts.includes('control') && sabotage === null ? await this.control() : null;
    const timings = parts.includes('timings') && sabotage === null ? await this.time() : null;
    const done = await this.rounds();
    const environment = { ...checkout, machine: machineOf(), ...this.system };
    const timing = timings && { windows: { ...DEFAULT_WINDOWS }, ...timings };
    return {
      environment,
      command: ['npm run soak --', ...process.argv.slice(2)].join(' '),
      startedAt,
      minutes: Math.round((performance.now() - this.from) / 6_000) / 10,
      seed,
      load: [load ?? 0, loadavg()[0] ?? 0],
      interrupted: this.signal.aborted,
      sabotage,
      control,
      rounds: done.rounds,
      systems: done.systems,
      recoveryPrompts: done.recoveryPrompts,
      measures: this.measures.all(),
      timing,
      leftBehind: [...this.leftBehind, ...done.leftBehind],
    };
  }

  /** The same rounds and checks on a build without a rule. What is timed there is thrown away. */
  private async control(): Promise<ControlReport | null> {
    if (this.signal.aborted) return null;
    say(`negative control: a build ${CONTROL_IN_WORDS} must be caught`);
    const { checkout, remove } = await sabotagedBuild(...BUILDS[CONTROL]);
    try {
      const watch = { ...this.watch(), measures: new Measures() };
      const { seed, out } = this.options;
      const todo = { seed, from: CONTROL_FROM, rounds: CONTROL_ROUNDS_MAX, deadline: Infinity };
      const done = await doRounds(
        { ...todo, checkout, out: `${out}/control`, untilFailure: true },
        watch,
      );
      this.leftBehind.push(...done.leftBehind);
      if (this.signal.aborted) return null;
      const violations = done.rounds.flatMap((round) => round.violations);
      return { sabotage: CONTROL_IN_WORDS, rounds: done.rounds.length, violations };
    } finally {
      await remove();
    }
  }

  private async time(): Promise<Timings | null> {
    if (this.signal.aborted) return null;
    const fixture = await timedSystem();
    try {
      await this.know(fixture);
      const work = timeEverything(fixture, this.measures, { signal: this.signal, say });
      return (await unlessAborted(this.signal, work)) ?? null;
    } finally {
      await fixture.destroy();
      this.leftBehind.push(...(await leftBehindOf(fixture.folder)));
    }
  }

  private async rounds(): Promise<RoundsDone> {
    const { seed, from, rounds, minutes, parts, sabotage, out } = this.options;
    const deadline = this.from + minutes * 60_000;
    const none: RoundsDone = { rounds: [], systems: 0, recoveryPrompts: 0, leftBehind: [] };
    if (!parts.includes('rounds')) return none;
    const todo = { seed, from, rounds, deadline, out };
    if (sabotage === null) return doRounds(todo, this.watch(), none);
    const { checkout, remove } = await sabotagedBuild(...BUILDS[sabotage]);
    try {
      return await doRounds({ ...todo, checkout }, this.watch(), none);
    } finally {
      await remove();
    }
  }

  private watch(): Watch {
    const rounds: RoundReport[] = [];
    return {
      signal: this.signal,
      measures: this.measures,
      onSystem: (fixture) => this.know(fixture),
      onRound: (report) => {
        rounds.push(report);
        say(progressOf(report, rounds, performance.now() - this.from));
      },
    };
  }

  private async know(fixture: Parameters<typeof systemOf>[0]): Promise<void> {
    if (Object.keys(this.system.versions).length === 0) this.system = await systemOf(fixture);
  }
}

/** The control strikes at any moment: these rounds come after the first cover. */
const CONTROL_FROM = 1_000;

const progressOf = (
  { round, fault, ms, violations }: RoundReport,
  rounds: readonly RoundReport[],
  sinceMs: number,
): string => {
  const hit = POSSIBLE_PAIRS.length - pairsNotHit(matrixOf(rounds)).length;
  const minutes = (sinceMs / 60_000).toFixed(1);
  const how = violations.length === 0 ? 'ok' : `FAILED\n  ${violations.join('\n  ')}`;
  return `${minutes} min, round ${round}, ${(ms / 1_000).toFixed(1)} s, ${hit}/${POSSIBLE_PAIRS.length} pairs: ${fault}: ${how}`;
};

const exitCodeOf = (report: SoakReport): number => {
  const { problems, missing } = verdictOf(report);
  if (problems.length > 0) return EXIT.bad;
  if (report.interrupted) return EXIT.interrupted;
  return missing.length > 0 ? EXIT.tooLittle : EXIT.good;
};

const soak = async (): Promise<number> => {
  let options: SoakOptions;
  try {
    options = parseSoakOptions(process.argv.slice(2));
  } catch (error) {
    say(error instanceof Error ? error.message : inspect(error));
    return EXIT.usage;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return EXIT.good;
  }
  const report = await new Soak(options, interruption()).run();
  const written = await writeReport(report, options.out);
  const { problems, missing } = verdictOf(report);
  for (const problem of problems) say(`PROBLEM: ${problem}`);
  for (const what of missing) say(`not enough to claim it all: ${what}`);
  for (const file of written) say(`written: ${file}`);
  return exitCodeOf(report);
};

// Whatever an abandoned round still waits for must not keep the process.
process.exit(await soak());
