import type { Frame } from '#contracts';
import type { Loaded } from '#event-store';
import { bug, type Instant, type JournalId } from '#kernel';
import type { DispatchRun, RunState } from '../domain/index.js';
import type { LoadedRun, Performed, StepContext } from './run.performed.js';
import type { RunSagaPorts } from './run.ports.js';

/**
 * Intends a generation, and puts its frame on its way.
 *
 * @param journalsAnswered after a restore: every journal answered that it holds no start of this run.
 */
export const dispatch = async (
  run: LoadedRun,
  journalId: JournalId,
  journalsAnswered: boolean,
  { epoch, windows }: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const { runId, generation, submission } = run.state;
  const now = ports.now();
  const command: DispatchRun = {
    type: 'DispatchRun',
    runId,
    now,
    generation: generation + 1,
    node: submission.node,
    journalId,
    ...windowFrom(now, windows),
    epoch,
    journalsAnswered,
  };
  const dispatched = await ports.append(run, command); // The intent; only what was appended may leave.
  // With a stop recorded, the answers of the journals settled it instead.
  if (isDispatched(dispatched)) await ports.publishFrame(frameOf(dispatched));
  return { kind: 'moved', run: dispatched };
};

/** How long a generation may stay unclaimed, and then without a sign that its prompt left. */
export const windowFrom = (
  now: Instant,
  { dispatchMs, receiptMs }: StepContext['windows'],
): Pick<DispatchRun, 'startBefore' | 'askAt'> => ({
  startBefore: now + dispatchMs,
  askAt: now + dispatchMs + receiptMs,
});

const isDispatched = (run: Loaded<RunState>): run is LoadedRun => run.state.status === 'dispatched';

/** The one frame that the current generation is. */
export const frameOf = ({ ref, state, trace }: LoadedRun): Frame => {
  const { runId, generation, dispatch: intent, submission, receipts } = state;
  if (intent === null) throw bug(`run ${runId} has no dispatch to make a frame of`);
  const isInitial = intent.kind === 'initial';
  return {
    workspace: ref.workspace,
    node: intent.node,
    journalId: intent.journalId,
    runId,
    sessionId: submission.sessionId,
    agent: submission.agent,
    epoch: intent.epoch,
    generation,
    kind: intent.kind,
    // A resume looks at the turn that there is: it must have nothing that it could send again.
    prompt: isInitial ? submission.prompt : null,
    thread: isInitial ? null : (receipts.thread ?? null),
    turn: isInitial ? null : (receipts.turn ?? null),
    key: runId,
    ...(trace === undefined ? {} : { traceparent: trace }),
  };
};
