import { RECOVERY_PROMPT } from '../protocol.js';

/** What a prompt makes the sample runtime do, in order. */
export type ScriptStep =
  | { readonly kind: 'work'; readonly ms: number }
  /** Works until this file is there. */
  | { readonly kind: 'until'; readonly path: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'fail' }
  /** Works until it is interrupted. */
  | { readonly kind: 'hang' };

const WORK_MAX_MS = 3_600_000;

/**
 * Reads `work 500ms`, `work 2s`, `until /some/file`, `say some words`, `fail` and `hang`, separated by semicolons or line ends. A prompt without
 * any of them is answered with itself. A recovery does what the interrupted prompt asked for, but does not hang again.
 */
export const scriptOf = (prompt: string, interrupted: string): readonly ScriptStep[] => {
  if (prompt === RECOVERY_PROMPT)
    return scriptOf(interrupted, interrupted).filter(({ kind }) => kind !== 'hang');
  const steps = prompt.split(/[;\n]/).flatMap(stepOf);
  return steps.length > 0 ? steps : [{ kind: 'say', text: `You said: ${prompt}` }];
};

const stepOf = (part: string): readonly ScriptStep[] => {
  const command = part.trim();
  const [, amount, unit] = /^work (\d+)(ms|s)$/.exec(command) ?? [];
  if (amount !== undefined) {
    const ms = Number(amount) * (unit === 's' ? 1_000 : 1);
    return [{ kind: 'work', ms: Math.min(ms, WORK_MAX_MS) }];
  }
  if (command.startsWith('until /'))
    return [{ kind: 'until', path: command.slice('until '.length) }];
  if (command.startsWith('say ')) return [{ kind: 'say', text: command.slice('say '.length) }];
  if (command === 'fail' || command === 'hang') return [{ kind: command }];
  return [];
};
