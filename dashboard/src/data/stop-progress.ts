import type { RunView, StopView } from '../../../libs/contracts/src/views.js';
import type { SpawnView } from './spawn-status.js';

/** What the stop has come to: `done` and `open` as far as all of it is known, `doubt` where it is not. */
export interface StopProgress {
  readonly state: 'open' | 'done' | 'doubt';
  readonly words: string;
}

/** What was proven to have stopped, and what is still waited for. Pure. */
export const progressOf = (
  { outcome, proof, remains }: Pick<StopView, 'outcome' | 'proof' | 'remains'>,
  { status, node, waitsFor }: Pick<RunView, 'status' | 'node' | 'waitsFor'>,
): StopProgress => {
  switch (outcome) {
    case 'pending':
      return {
        state: 'open',
        words: `Not proven yet: it waits for ${waitsFor ?? `node ${node} to prove that it stopped`}.`,
      };
    case 'proven':
      return { state: 'done', words: `Proven to have stopped: ${proofWords(proof)}.` };
    case 'unknown':
      if (status === 'unknown')
        return {
          state: 'doubt',
          words: `Node ${node} did not answer, so whether it stopped is not known. The stop is kept, and reaches the node when it is back.`,
        };
      return {
        state: 'doubt',
        words:
          remains.length > 0
            ? 'It ended as stopped. What stands below was not shown to have stopped.'
            : 'Whether all of it stopped is not known: an operator settled it before that was proven.',
      };
    case 'too-late':
      return {
        state: 'done',
        words: `Too late: the run had ended before the stop was accepted. It is ${status}.`,
      };
  } // No default: a new outcome does not compile until it is told.
};

/** The same of the stop of a spawned agent, which is told to its node until that answers. Pure. */
export const agentStopProgress = (
  { outcome, proof, remains }: Pick<StopView, 'outcome' | 'proof' | 'remains'>,
  { nodeName, nodeId }: Pick<SpawnView, 'nodeName' | 'nodeId'>,
): StopProgress => {
  const node = nodeName ?? nodeId ?? '';
  switch (outcome) {
    case 'pending':
      return {
        state: 'open',
        words: `Not proven yet: it waits for node ${node} to prove that its agent has ended.`,
      };
    case 'proven':
      return { state: 'done', words: `Proven to have stopped: ${proofWords(proof)}.` };
    case 'unknown':
      return {
        state: 'doubt',
        words:
          remains.length > 0
            ? 'Its agent has ended. What stands below was not shown to have stopped.'
            : `Whether its agent stopped is not known: node ${node} could not prove it.`,
      };
    case 'too-late':
      return {
        state: 'done',
        words: 'Too late: its agent had ended before the stop was accepted.',
      };
  } // No default: a new outcome does not compile until it is told.
};

const PROOFS: Readonly<Record<string, string>> = {
  unclaimed: 'it had not been started, and never will be',
  fenced: 'it was proven before that nothing of it runs',
  'process-group-gone': 'nothing that it started is alive',
  'ended-by-itself': 'it ended by itself',
};

const proofWords = (proof: string | null): string => {
  if (proof === null) return 'its node says so';
  return PROOFS[proof] ?? proof;
};
