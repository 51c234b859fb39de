/** What is configured can't be used. `problems` names all of it, not just the first. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  readonly code = 'configuration.invalid';
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((one) => `- ${one}`).join('\n')}`);
  }
}

/** A set of environment variables, as `process.env` is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads typed values out of an environment and remembers what is wrong with them. Never names a value in a problem:
 * it may be a secret.
 */
export class EnvironmentReader {
  readonly problems: string[] = [];

  constructor(private readonly environment: Environment) {}

  /** A text. @param fallback when it is absent or empty; without one it is required. */
  text(name: string, fallback?: string): string {
    const value = this.environment[name];
    if (value !== undefined && value !== '') return value;
    if (fallback !== undefined) return fallback;
    this.problems.push(`${name} is missing`);
    return '';
  }

  /** A text that may be absent. */
  optional(name: string): string | undefined {
    const value = this.environment[name];
    return value === '' ? undefined : value;
  }

  /** A whole number within bounds, both included. */
  integer(name: string, fallback: number, [lowest, highest]: readonly [number, number]): number {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= lowest && number <= highest) return number;
    this.problems.push(
      `${name} must be a whole number from ${String(lowest)} to ${String(highest)}`,
    );
    return fallback;
  }

  oneOf<const Choice extends string>(
    name: string,
    choices: readonly Choice[],
    fallback: Choice,
  ): Choice {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return chosen;
    this.problems.push(`${name} must be one of ${choices.join(', ')}`);
    return fallback;
  }

  /** A value that `parse` makes of the text (undefined when absent); what it throws becomes a problem. */
  parsed<Value>(name: string, parse: (text: string | undefined) => Value, onProblem: Value): Value {
    try {
      return parse(this.optional(name));
    } catch (error) {
      this.problems.push(`${name}: ${error instanceof Error ? error.message : 'is not valid'}`);
      return onProblem;
    }
  }
}

/**
 * The configuration of a process: parsed once, typed and frozen.
 *
 * @throws InvalidConfiguration with every problem found.
 */
export const loadConfig = <Config extends object>(
  environment: Environment,
  read: (reader: EnvironmentReader) => Config,
): Readonly<Config> => {
  const reader = new EnvironmentReader(environment);
  const config = read(reader);
  if (reader.problems.length > 0) throw new InvalidConfiguration(reader.problems);
  return Object.freeze(config);
};
