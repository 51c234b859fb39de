import { ApiClient } from './api-client.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';
import { findServer, type Identity, type Server } from './server.js';
import { colours } from './text.js';

/** What every verb understands. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly url?: string;
}

/** What a verb works with. */
export interface Verb {
  readonly io: Io;
  readonly server: Server;
  readonly api: ApiClient;
  /** Print what the HTTP API answers, and nothing else. */
  readonly json: boolean;
  /** Whether the output may be coloured. */
  readonly colour: boolean;
}

/** @param identity as whom, where `HOLDFAST_TOKEN` does not say it. */
export const openVerb = (io: Io, options: CommonOptions, identity: Identity): Verb => {
  const server = findServer(io, options.url, identity);
  return {
    io,
    server,
    api: new ApiClient(server, io),
    json: options.json === true,
    colour: colours(io, io.out),
  };
};

/** Runs a verb and keeps its exit code for {@link run} of the program. */
export type Perform = (verb: Verb) => Promise<ExitCode>;

/** Prints an answer of the API as it is. */
export const printJson = (io: Io, answer: unknown): void =>
  io.out.write(`${JSON.stringify(answer, null, 2)}\n`);

/** One event a line: what `--json` prints of a stream. */
export const printJsonLine = (io: Io, answer: unknown): void =>
  io.out.write(`${JSON.stringify(answer)}\n`);
