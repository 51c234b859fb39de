import type { StopView } from '#contracts';
import type { Instant } from '#kernel';
import type { AgentStopEvidence } from '#spawns/contract';

/** What the stop of an agent has come to, as the streams of its spawn and of the agent show. Pure. */
export const agentStopOutcome = (
  requestedAt: Instant,
  agent: AgentStopEvidence | undefined,
): Pick<StopView, 'outcome' | 'proof' | 'remains' | 'runStatus'> => {
  const ended = agent?.ended ?? null;
  const base = { remains: [], runStatus: null } as const;
  if (ended === null) return { outcome: 'pending', proof: null, ...base };
  // Two clocks: one that ended in the moment of its stop counts as ended by it, which promises nothing that is not so.
  return ended.at < requestedAt
    ? { outcome: 'too-late', proof: null, ...base }
    : { outcome: 'proven', proof: ended.proof, ...base };
};
