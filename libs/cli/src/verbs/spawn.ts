import type { SpawnAcceptedView, StrictSpawnView } from '#contracts';
import {
  STRICT_SPAWN_CONTRACT,
  type CallerSpawnStatus,
  type SpawnFailureCode,
} from '#spawns/contract';
import type { ExitCode } from '../exit-codes.js';
import { exitCodeOfSpawn, reportSpawnEnd, waitForSpawn } from '../follow-spawn.js';
import type { Identity } from '../server.js';
import { plain } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { genericBody, kindOf, replayBody, strictBody, type SpawnOptions } from './spawn-request.js';
import { keyFor } from './submit.js';

/** What the server said of the spawn, whichever way it was asked for. */
interface Asked {
  readonly spawnId: string;
  readonly status: CallerSpawnStatus;
  readonly code: SpawnFailureCode | null;
  readonly waitsFor: string | null;
  readonly replayed: boolean;
  /** The answer of the API, as it came. */
  readonly answer: unknown;
}

/** As whom: a strict spawn belongs to the agent that asks for it. */
export const identityFor = (options: SpawnOptions): Identity =>
  kindOf(options) === 'generic' ? 'operator' : 'agent';

/** Asks for an agent under a key, and follows it to its start when asked to. */
export const spawn = async (
  verb: Verb,
  task: string | undefined,
  options: SpawnOptions,
): Promise<ExitCode> => {
  const { io } = verb;
  const asked = await ask(verb, task, options);
  if (asked.replayed && options.replay !== true)
    io.err.write('this key was used before: this is the spawn that it made\n');
  if (options.wait === true) return follow(verb, asked.spawnId);
  if (verb.json) printJson(io, asked.answer);
  else {
    io.out.write(`${asked.spawnId}\n`);
    io.err.write(`${wordsOn(asked)}\n`);
  }
  return exitCodeOfSpawn(asked);
};

const ask = async (verb: Verb, task: string | undefined, options: SpawnOptions): Promise<Asked> => {
  switch (kindOf(options)) {
    case 'replay': {
      const { body, key } = await replayBody(verb, task, options);
      return askStrictly(verb, '/v1/actions/spawn/replay', body, key);
    }
    case 'strict': {
      const body = await strictBody(verb, task, options);
      const key = keyFor(verb.io, options.key);
      return askStrictly(verb, '/v1/actions/spawn/strict-invoke', body, key);
    }
    case 'generic': {
      const body = await genericBody(verb, task, options);
      const key = keyFor(verb.io, options.key);
      const { value, replayed } = await verb.api.command<SpawnAcceptedView>(
        '/v1/spawns',
        body,
        key,
      );
      const { spawnId, status } = value;
      return { spawnId, status, code: null, waitsFor: null, replayed, answer: value };
    }
  } // No default: a new kind does not compile until it is asked for.
};

/** Both routes of the contract answer in its spelling. */
const askStrictly = async (verb: Verb, path: string, body: object, key: string): Promise<Asked> => {
  const named = { spawn_contract: STRICT_SPAWN_CONTRACT, ...body };
  const { value, replayed } = await verb.api.command<StrictSpawnView>(path, named, key);
  return {
    spawnId: value.invocation_id,
    status: value.status,
    code: value.failure_code,
    waitsFor: value.waits_for,
    replayed,
    answer: value,
  };
};

const follow = async (verb: Verb, spawnId: string): Promise<ExitCode> => {
  const { io } = verb;
  if (verb.json) io.err.write(`spawn  ${spawnId}\n`);
  else io.out.write(`${spawnId}\n`);
  const end = await waitForSpawn(verb, spawnId);
  if (verb.json) printJson(io, end);
  return reportSpawnEnd(verb, end);
};

const wordsOn = ({ status, code, waitsFor }: Asked): string => {
  if (code !== null) return `${status}: ${code}`;
  return waitsFor === null ? status : `${status}: waits for ${plain(waitsFor)}`;
};
