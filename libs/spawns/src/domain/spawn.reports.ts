import { RuleViolation } from '#kernel';
import type {
  ClaimSpawnFrame,
  ReportAgentEnded,
  ReportAgentNotStarted,
  ReportAgentStarted,
} from './spawn.commands.js';
import type { SpawnEvent } from './spawn.events.js';
import { generationOf, isUnknown, lateEvidenceKey, type ExistingSpawn } from './spawn.state.js';

/** May this incarnation start it? The first to ask, while it is dispatched, and it alone. */
export const claimSpawnFrame = (
  command: ClaimSpawnFrame,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] => {
  const { spawnId, generation, journalId, incarnation, epoch, now: at } = command;
  const current = spawn.dispatch?.generation === generation;
  // Asked again, because the answer was lost: it is still theirs.
  if (current && spawn.status === 'claimed' && holds(command, spawn)) return [];
  if (!current || spawn.status !== 'dispatched' || spawn.dispatch?.journalId !== journalId)
    throw new RuleViolation('spawn.claim_refused', { spawnId, generation, status: spawn.status });
  if (spawn.dispatch.epoch < epoch)
    throw new RuleViolation('spawn.claim_of_older_epoch', { spawnId, generation });
  const data = { spawnId, at, generation, journalId, incarnation };
  return [{ type: 'SpawnFrameClaimed', data }];
};

type OfNode = ReportAgentStarted | ReportAgentEnded | ReportAgentNotStarted;

export const reportAgentStarted = (
  command: ReportAgentStarted,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] =>
  speaksForClaim(command, spawn)
    ? [completed(command)]
    : lateEvidence(command, spawn, 'lives', `its agent was seen alive: ${command.evidence}`);

/** What ended was started. That it ended is recorded of the agent. */
export const reportAgentEnded = (
  command: ReportAgentEnded,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] =>
  speaksForClaim(command, spawn)
    ? [completed(command)]
    : lateEvidence(command, spawn, 'gone', `its agent has ended: ${command.evidence}`);

export const reportAgentNotStarted = (
  command: ReportAgentNotStarted,
  spawn: ExistingSpawn,
): readonly SpawnEvent[] => {
  const { spawnId, generation, disproves, proof, now: at } = command;
  if (speaksForClaim(command, spawn)) {
    if (spawn.holder?.incarnation !== disproves) return []; // Another incarnation holds the claim, and may start.
    const data = { spawnId, at, code: 'agent_not_started', reason: proof } as const;
    return [{ type: 'SpawnFailed', data }];
  }
  const current = generation === generationOf(spawn);
  const holder = spawn.holder?.incarnation ?? disproves;
  if (!current || !isUnknown(spawn) || holder !== disproves) return [];
  return lateEvidence(command, spawn, 'gone', `its agent was never started: ${proof}`);
};

const completed = ({
  spawnId,
  generation,
  evidence,
  workerCwd,
  now: at,
}: ReportAgentStarted | ReportAgentEnded): SpawnEvent => ({
  type: 'SpawnCompleted',
  data: { spawnId, at, generation, evidence, workerCwd },
});

const holds = (
  { journalId, incarnation }: Pick<OfNode, 'journalId' | 'incarnation'>,
  { holder }: ExistingSpawn,
): boolean => holder?.journalId === journalId && holder.incarnation === incarnation;

/** Claimed, by the journal that speaks, in the generation that it speaks of; nobody else can end it. */
const speaksForClaim = (command: OfNode, spawn: ExistingSpawn): boolean =>
  spawn.status === 'claimed' &&
  spawn.dispatch?.generation === command.generation &&
  spawn.holder?.journalId === command.journalId;

/** True and too late: recorded once, and only where it is news. */
const lateEvidence = (
  command: OfNode,
  spawn: ExistingSpawn,
  agent: 'lives' | 'gone',
  evidence: string,
): readonly SpawnEvent[] => {
  const { spawnId, generation, now: at } = command;
  const wasExcluded = !mayHaveStarted(command, spawn);
  // Of a spawn that completed, this is no news; its agent's end is the agent's.
  if (!wasExcluded && !isUnknown(spawn)) return [];
  if (!wasExcluded && isOfOtherJournal(command, spawn)) return [];
  if (spawn.lateEvidence.includes(lateEvidenceKey({ generation, evidence }))) return [];
  const showsStart = wasExcluded && command.type !== 'ReportAgentNotStarted';
  return [
    {
      type: 'SpawnLateEvidenceRecorded',
      data: { spawnId, at, generation, agent, evidence, showsStart },
    },
  ];
};

/** Another journal knows nothing of what this one was to start. After a restore nobody may know which one that was. */
const isOfOtherJournal = ({ generation, journalId }: OfNode, spawn: ExistingSpawn): boolean => {
  if (generation > (spawn.dispatch?.generation ?? 0)) return false;
  const named = (spawn.holder ?? spawn.dispatch)?.journalId;
  return named !== undefined && named !== journalId;
};

/** Nobody excluded that this generation was started. */
const mayHaveStarted = ({ generation }: OfNode, spawn: ExistingSpawn): boolean => {
  // Every earlier one was taken back, unclaimed, before there could be another.
  if (generation < generationOf(spawn)) return false;
  if (spawn.status === 'claimed' || spawn.status === 'completed')
    return spawn.dispatch?.generation === generation;
  return isUnknown(spawn);
};
