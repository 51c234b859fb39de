import { createHash } from 'node:crypto';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printJson, type Verb } from '../verb.js';
import { keyFor } from './submit.js';

export interface IssueOptions {
  readonly role: string;
  readonly workspace?: string;
  readonly key?: string;
}

/** Makes a token. It is shown this once: only its hash is kept. */
export const issueToken = async (
  verb: Verb,
  principal: string,
  options: IssueOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const body = {
    principal,
    role: options.role,
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  };
  const { value, replayed } = await api.command<{ token?: string | null }>(
    '/v1/tokens',
    body,
    keyFor(io, options.key),
  );
  if (replayed) io.err.write('this key was used before; a token is shown only once\n');
  if (verb.json) printJson(io, value);
  else if (typeof value.token === 'string') {
    io.err.write('This is shown once. Keep it safe.\n');
    io.out.write(`${value.token}\n`);
  }
  return EXIT.done;
};

/** @param token the token itself, or its SHA-256 in hex. Only the hash leaves this machine. */
export const revokeToken = async (
  verb: Verb,
  token: string,
  options: { readonly key?: string },
): Promise<ExitCode> => {
  const { io, api } = verb;
  const isHash = /^[0-9a-f]{64}$/.test(token);
  const tokenHash = isHash ? token : createHash('sha256').update(token).digest('hex');
  const { value } = await api.command('/v1/tokens/revoke', { tokenHash }, keyFor(io, options.key));
  if (verb.json) printJson(io, value);
  else io.out.write('revoked\n');
  return EXIT.done;
};
