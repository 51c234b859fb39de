import { EXIT, type ExitCode } from '../exit-codes.js';
import { paintStatus } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { keyFor } from './submit.js';

export interface ResolveOptions {
  readonly as: string;
  readonly note: string;
  readonly key?: string;
}

/** Records an operator's decision on an outcome that is unknown. The first settlement stands. */
export const resolve = async (
  verb: Verb,
  runId: string,
  options: ResolveOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const path = `/v1/runs/${encodeURIComponent(runId)}/resolution`;
  const { value } = await api.command<{ status?: string }>(
    path,
    { as: options.as, note: options.note },
    keyFor(io, options.key),
  );
  if (verb.json) printJson(io, value);
  else io.out.write(`${paintStatus(value.status ?? options.as, verb.colour)}\n`);
  return EXIT.done;
};
