/**
 * Arguments of a command line with places for a run's facts. No shell ever reads them, so nothing needs quoting; and what
 * is put in is not looked at again, so a prompt can't smuggle in a placeholder. `{{` and `}}` stand for single braces.
 *
 * A prompt that begins with a dash may be taken for an option: put `--` before `{prompt}` where the program knows it.
 */
export const PLACEHOLDERS = ['prompt', 'agent', 'runId', 'session', 'workdir'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const PART = /\{\{|\}\}|\{([A-Za-z]+)\}/g;

/** @returns names in braces that stand for nothing. */
export const unknownPlaceholders = (template: readonly string[]): readonly string[] =>
  names(template).filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name));

export const uses = (template: readonly string[], placeholder: Placeholder): boolean =>
  names(template).includes(placeholder);

export const fill = (argument: string, values: Readonly<Record<Placeholder, string>>): string =>
  argument.replace(PART, (part: string, name: string | undefined) => {
    if (name === undefined) return part.charAt(0);
    return values[name as Placeholder];
  });

const names = (template: readonly string[]): readonly string[] =>
  template.flatMap((argument) =>
    [...argument.matchAll(PART)].flatMap(([, name]) => (name === undefined ? [] : [name])),
  );
