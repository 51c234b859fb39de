import type { JournalId } from '#kernel';
import { judgeJournals, type JournalAnswer, type JournalsVerdict } from './run.answers.js';
import { dispatch } from './run.dispatch-step.js';
import type { LoadedRun, Performed, StepContext } from './run.performed.js';
import type { RunSagaPorts } from './run.ports.js';
import { concludeUnknown } from './run.unknown-step.js';

/** Dispatched before a restore, so it may have been claimed in what was lost: only its journal can take it back. */
export const askToClose = async (
  run: LoadedRun,
  context: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const { runId, generation, dispatch: intent, submission } = run.state;
  const journals = await ports.journalsOf(run.ref.workspace, submission.node);
  const journalId = intent?.journalId ?? '';
  const journal = journals.find((one) => one.journalId === journalId) ?? {
    journalId,
    replacedBy: null,
  };
  const verdict = judgeJournals(run.state, [await answerOf(run, journal, context, ports)]);
  switch (verdict.kind) {
    case 'unknown':
      return concludeUnknown(run, verdict, reasonOf(verdict), context, ports);
    case 'wait': {
      const holder = { generation, journalId, incarnation: null };
      return concludeUnknown(
        run,
        holder,
        'it was dispatched before a restore; nobody answered for it',
        context,
        ports,
      );
    }
    case 'nothing-forgotten': {
      const revoked = await ports.append(run, {
        type: 'RevokeDispatch',
        runId,
        now: ports.now(),
        generation,
        reason: 'dispatched before a restore; its journal closed it',
        epoch: context.epoch,
        closedByJournal: true,
      });
      return { kind: 'moved', run: revoked };
    }
  }
};

/** Queued since before a restore, so it may have been started in what was lost: every journal must have answered. */
export const askAllJournals = async (
  run: LoadedRun,
  context: StepContext,
  ports: RunSagaPorts,
): Promise<Performed> => {
  const journals = await ports.journalsOf(run.ref.workspace, run.state.submission.node);
  const answers: JournalAnswer[] = [];
  for (const journal of journals) answers.push(await answerOf(run, journal, context, ports));
  const verdict = judgeJournals(run.state, answers);
  switch (verdict.kind) {
    case 'unknown':
      return concludeUnknown(run, verdict, reasonOf(verdict), context, ports);
    case 'wait':
      return { kind: 'stuck' };
    case 'nothing-forgotten': {
      const { journalId, liveness } = context.node;
      // A recorded stop settles it, whether its node could take it or not.
      if (run.state.stop !== null) return dispatch(run, journalId ?? 'none', true, context, ports);
      if (journalId === null || liveness !== 'alive') return { kind: 'stuck' };
      return dispatch(run, journalId, true, context, ports);
    }
  }
};

const reasonOf = ({ because }: Extract<JournalsVerdict, { kind: 'unknown' }>): string =>
  because === 'started'
    ? 'after a restore its journal shows a start that the stream forgot'
    : 'after a restore a journal that may have started it can not be asked any more';

const answerOf = async (
  run: LoadedRun,
  {
    journalId,
    replacedBy,
  }: { readonly journalId: JournalId; readonly replacedBy: JournalId | null },
  { epoch }: StepContext,
  ports: RunSagaPorts,
): Promise<JournalAnswer> => {
  const { runId, generation, submission, claim } = run.state;
  const replaced = replacedBy !== null;
  // Nobody comes back with a journal that was replaced: its node would only say that it has another one.
  const answer = replaced
    ? null
    : await ports.ask(run.ref.workspace, submission.node, {
        question: 'close-older-epochs',
        runId,
        generation,
        journalId,
        epoch,
        holder: claim?.incarnation ?? null,
      });
  const base = { journalId, replaced };
  if (answer === null || answer.answer === 'other-journal') return { ...base, answer: 'none' };
  if (answer.answer !== 'started') return { ...base, answer: 'closed' };
  const { generation: startedGeneration, startedBy } = answer;
  if (startedGeneration === undefined || startedBy === undefined)
    return { ...base, answer: 'none' };
  return { ...base, answer: { generation: startedGeneration, startedBy } };
};
