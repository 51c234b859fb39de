import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EXIT, VerbFailed } from './exit-codes.js';
import type { Io } from './io.js';

/** Where the gateway is, and who we are to it. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string | undefined;
  /** The state folder of the local stack, when there is one. */
  readonly home: string | undefined;
}

/** Whose token of the local stack is meant. */
export type Identity = 'operator' | 'agent';

/** The port that `npm start` takes unless `HOLDFAST_PORT` says otherwise. */
const DEFAULT_PORT = 7420;

/**
 * Which server is meant: `--url`, else `HOLDFAST_URL`, else the local stack's own (its port file, `HOLDFAST_PORT`, 7420).
 *
 * The token is `HOLDFAST_TOKEN`, else the local stack's own for this identity. That one is sent to this machine only: a URL
 * that leads elsewhere must not learn it.
 *
 * @throws VerbFailed (usage) the URL is not an HTTP one.
 */
export const findServer = (
  io: Io,
  urlOption: string | undefined,
  identity: Identity = 'operator',
): Server => {
  const home = findHome(io);
  const url = parseUrl(urlOption ?? given(io, 'HOLDFAST_URL') ?? localUrl(io, home));
  const token =
    given(io, 'HOLDFAST_TOKEN') ??
    (isLoopback(url) ? readWord(home, `${identity}.token`) : undefined);
  return { url: url.href.replace(/\/+$/, ''), token, home };
};

/** `HOLDFAST_HOME`, else the nearest `.holdfast` folder from the working directory upwards. */
const findHome = (io: Io): string | undefined => {
  const named = given(io, 'HOLDFAST_HOME');
  if (named !== undefined) return resolve(io.cwd, named);
  for (let folder = resolve(io.cwd); ; folder = dirname(folder)) {
    const candidate = join(folder, '.holdfast');
    if (existsSync(candidate) && statSync(candidate).isDirectory()) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
};

const localUrl = (io: Io, home: string | undefined): string => {
  const port =
    given(io, 'HOLDFAST_PORT') ?? readWord(home, 'run/gateway.port') ?? String(DEFAULT_PORT);
  return `http://127.0.0.1:${port}`;
};

const parseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new VerbFailed(EXIT.usage, `"${text}" is not an http:// or https:// address`);
  return url;
};

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

const given = (io: Io, name: string): string | undefined => {
  const value = io.env[name]?.trim();
  return value === '' ? undefined : value;
};

const readWord = (home: string | undefined, file: string): string | undefined => {
  if (home === undefined) return undefined;
  try {
    const word = readFileSync(join(home, file), 'utf8').trim();
    return word === '' ? undefined : word;
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw new VerbFailed(EXIT.usage, `${join(home, file)} can't be read`, {
      cause,
      remedies: ['Run the command as the user who started the stack, or set HOLDFAST_TOKEN.'],
    });
  }
};

const isAbsent = (cause: unknown): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  (cause.code === 'ENOENT' || cause.code === 'ENOTDIR');
