import type { Validated } from './adapter.js';

/** Collects everything that is wrong with a configuration object, so that it is mended in one go. */
export class ConfigCheck {
  readonly problems: string[] = [];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #known = new Set<string>();

  constructor(raw: unknown) {
    const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
    if (!isObject) this.problems.push('must be an object');
    this.#fields = isObject ? (raw as Record<string, unknown>) : {};
  }

  /** Marks the field as known. @returns its value, undefined when it is not there. */
  take(name: string): unknown {
    this.#known.add(name);
    return this.#fields[name];
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || (typeof value === 'string' && isText(value, 1))) return value;
    this.#refuse(name, 'must be a text that is not empty and has no NUL character');
    return undefined;
  }

  absolutePath(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || value.startsWith('/')) return value;
    this.#refuse(name, 'must be an absolute path');
    return undefined;
  }

  /** @param bounds both included. */
  integer(name: string, [low, high]: readonly [number, number]): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high)
      return value as number;
    this.#refuse(name, `must be a whole number from ${low} to ${high}`);
    return undefined;
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.take(name);
    if (value === undefined || choices.includes(value as Choice)) return value as Choice;
    this.#refuse(name, `must be one of ${choices.join(', ')}`);
    return undefined;
  }

  texts(name: string, mostItems: number): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (
      Array.isArray(value) &&
      value.length <= mostItems &&
      value.every((item): item is string => typeof item === 'string' && isText(item, 0))
    )
      return value;
    this.#refuse(name, `must be a list of at most ${mostItems} texts without NUL`);
    return undefined;
  }

  textsByName(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((item) => typeof item === 'string' && isText(item, 0))
    )
      return value as Readonly<Record<string, string>>;
    this.#refuse(name, 'must be an object of texts without NUL');
    return undefined;
  }

  refuseIf(wrong: boolean, problem: string): void {
    if (wrong) this.problems.push(problem);
  }

  /** Call it last: fields that nothing asked for are problems too, because a misspelt one would be ignored. */
  finish<Config>(make: () => Config): Validated<Config> {
    const unknown = Object.keys(this.#fields).filter((name) => !this.#known.has(name));
    const problems = [...this.problems, ...unknown.map((name) => `${name}: unknown field`)];
    return problems.length > 0 ? { ok: false, problems } : { ok: true, config: make() };
  }

  #refuse(name: string, problem: string): void {
    this.problems.push(`${name}: ${problem}`);
  }
}

const isText = (value: string, shortest: number): boolean =>
  value.length >= shortest && !value.includes('\0');
