import type { AskAnswer, AskRequest } from '#contracts';
import { bug } from '#kernel';
import { dispatch, frameOf, windowFrom } from './run.dispatch-step.js';
import type { RunStep } from './run.next.js';
import type { LoadedRun, Performed, StepContext } from './run.performed.js';
import type { RunSagaPorts } from './run.ports.js';
import { askAllJournals, askToClose } from './run.restore-step.js';
import { concludeUnknown } from './run.unknown-step.js';

/**
 * Performs one step: append the intent, act once, append what was learned. Whoever loses a compare-and-set did nothing,
 * and looks again; whoever dies here leaves a run from whose record the next one goes on.
 */
export const performRunStep = async (
  run: LoadedRun,
  step: RunStep,
  context: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  switch (step.kind) {
    case 'dispatch':
      return dispatch(run, step.journalId, false, context, ports);
    case 'publishFrame':
      await ports.publishFrame(frameOf(run));
      return { kind: 'moved', run };
    case 'askWhetherWaiting':
      return extendOrRevoke(run, context, ports);
    case 'askToClose':
      return askToClose(run, context, ports);
    case 'askAllJournals':
      return askAllJournals(run, context, ports);
    case 'ask':
      return askOrConclude(run, 'status', step.because, context, ports);
    case 'sendStop':
      return askOrConclude(run, 'stop', 'it was told to stop', context, ports);
    case 'askAgain':
      // Silence changes nothing: it is unknown already.
      await ask(run, run.state.stop === null ? 'status' : 'stop', context, ports);
      return { kind: 'asked' };
  } // No default: a new step does not compile until it is performed here.
};

const ask = async (
  run: LoadedRun,
  question: AskRequest['question'],
  { epoch }: Pick<StepContext, 'epoch'>,
  ports: RunSagaPorts,
): Promise<AskAnswer | null> => {
  const { runId, generation, submission, claim, dispatch: intent } = run.state;
  const journalId = (claim ?? intent)?.journalId;
  if (journalId === undefined) throw bug(`run ${runId} names no journal to ask`);
  const request = { question, runId, generation, journalId, epoch };
  return ports.ask(run.ref.workspace, submission.node, {
    ...request,
    holder: claim?.incarnation ?? null,
  });
};

/** Unclaimed is certainly unsent: whatever its node does not show as waiting is taken back without asking further. */
const extendOrRevoke = async (
  run: LoadedRun,
  context: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const { runId, generation } = run.state;
  const { epoch } = context;
  const answer = await ask(run, 'status', context, ports);
  const now = ports.now();
  const base = { runId, now, generation };
  const moved =
    answer?.answer === 'waiting'
      ? await ports.append(run, {
          type: 'ExtendStartWindow',
          ...base,
          ...windowFrom(now, context.windows),
        })
      : await ports.append(run, {
          type: 'RevokeDispatch',
          ...base,
          reason: answer === null ? 'its node did not answer' : `its node says: ${answer.answer}`,
          epoch,
          closedByJournal: false,
        });
  return { kind: 'moved', run: moved };
};

/** A claimed run: its node answers, and reports; silence is the saga's to record, and never a reason to send again. */
const askOrConclude = async (
  run: LoadedRun,
  question: 'status' | 'stop',
  because: string,
  context: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const answer = await ask(run, question, context, ports);
  if (answer !== null && answer.answer !== 'other-journal') return { kind: 'asked' };
  const { claim, dispatch: intent, generation } = run.state;
  const journalId = (claim ?? intent)?.journalId ?? '';
  const reason = `${because}; ${answer === null ? 'nobody answered for it' : 'its node has another journal now'}`;
  return concludeUnknown(
    run,
    { generation, journalId, incarnation: claim?.incarnation ?? null },
    reason,
    context,
    ports,
  );
};
