import type { SpawnDetailView, SpawnView } from '#contracts';
import type { CallerSpawnStatus, SpawnFailureCode } from '#spawns/contract';
import { EXIT, VerbFailed, type ExitCode } from './exit-codes.js';
import { waitFor } from './follow.js';
import { duration, fields, plain } from './text.js';
import type { Verb } from './verb.js';

/** Waits until a spawn's agent was started, or it failed: one of the two is its end for whoever asked for it. */
export const waitForSpawn = (verb: Verb, spawnId: string): Promise<SpawnDetailView> =>
  waitFor<SpawnDetailView>(verb, {
    path: pathOfSpawn(spawnId),
    wordsOf: wordsOn,
    onChange: (spawn) => {
      if (isUnderWay(spawn.status)) verb.io.err.write(`${wordsOn(spawn)}\n`);
    },
    isOver: ({ status }) => !isUnderWay(status),
    interrupted: () =>
      new VerbFailed(EXIT.unknown, 'stopped waiting; the spawn goes on', {
        remedies: [`holdfast spawns show ${spawnId}   shows where it stands`],
      }),
  });

export const pathOfSpawn = (spawnId: string): string => `/v1/spawns/${encodeURIComponent(spawnId)}`;

/** Where a spawn stands, as a script must see it: what nobody knows is neither done nor failed. */
export const exitCodeOfSpawn = ({
  status,
  code,
}: {
  readonly status: CallerSpawnStatus;
  readonly code: SpawnFailureCode | null;
}): ExitCode => {
  if (code === 'spawn_outcome_unknown') return EXIT.unknown;
  return status === 'failed' ? EXIT.failed : EXIT.done;
};

/** Says on `err` how a spawn ended, and turns that into an exit code. */
export const reportSpawnEnd = ({ io }: Verb, spawn: SpawnView): ExitCode => {
  io.err.write(spawn.status === 'completed' ? startedWords(spawn) : explainFailure(spawn));
  return exitCodeOfSpawn(spawn);
};

const isUnderWay = (status: CallerSpawnStatus): boolean =>
  status === 'pending' || status === 'dispatched';

const wordsOn = ({ status, waitsFor }: SpawnView): string =>
  `${status}${waitsFor === null ? '' : `: waits for ${plain(waitsFor)}`}`;

const startedWords = ({ claimedAt, settledAt, nodeName, nodeId }: SpawnView): string => {
  const took =
    settledAt === null ? '' : ` after ${duration(Date.parse(settledAt) - Date.parse(claimedAt))}`;
  return `started on node ${plain(nodeName ?? nodeId ?? '')}${took}\n`;
};

const explainFailure = (spawn: SpawnView): string => {
  const { unknown } = spawn;
  return fields([
    ['spawn', spawn.spawnId],
    ['code', spawn.code],
    ['means', spawn.code === null ? null : MEANINGS[spawn.code]],
    ['evidence', unknown === null ? null : plain(unknown.reason)],
    ['since', unknown === null ? null : unknown.since],
    ['what next', unknown === null ? null : plain(unknown.advice)],
    ['settle it', unknown === null ? null : waysOn(spawn)],
  ]);
};

/** What an operator may still say of it; only an agent that was seen alive can be adopted. */
export const waysOn = ({ spawnId, agent }: SpawnView): string =>
  `holdfast spawns resolve ${spawnId} --as ${agent === 'alive' ? 'stop|adopt|free' : 'stop|free'} --note "…"`;

/** What each code says of the agent: certainty, or none. */
export const MEANINGS: Readonly<Record<SpawnFailureCode, string>> = {
  never_received: 'its node never took it: certainly nothing was started',
  agent_not_started: 'its node proved that no agent of it was started',
  never_dispatched_expired: 'it was never sent, for too long: certainly nothing was started',
  spawn_outcome_unknown: 'nobody could say whether its agent was started: it may be alive',
};
