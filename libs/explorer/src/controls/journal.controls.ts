import { RUN_INVARIANTS } from '../runs/index.js';
import type { RunControl } from './control.js';
import { REPORTS, both, deciding } from './wrappers.js';

const JOURNAL_REPLACED = { replacement: true, crashes: 1 } as const;

/** The journal, `go`, and who may speak: what keeps one prompt from being sent twice. */
export const JOURNAL_CONTROLS: readonly RunControl[] = [
  ...(['I1', 'I4'] as const).map((breaks): RunControl => ({
    rule: `go is journalled before it is given: ${RUN_INVARIANTS[breaks]}`,
    breaks,
    without: ({ nextEntry }) => ({
      nextEntry: (entry, run, context) => {
        if (entry.phase === 'shim' && context.grip === 'watching')
          return { kind: 'take', step: { kind: 'journalGo' } };
        const next = nextEntry(entry, run, context);
        return next.kind === 'take' && next.step.kind === 'journalGo'
          ? { kind: 'take', step: { kind: 'giveGo' } }
          : next;
      },
    }),
  })),
  ...(['I1', 'I4', 'I5'] as const).map((breaks): RunControl => ({
    rule: `a program that waits for go leaves when its agent dies: ${RUN_INVARIANTS[breaks]}`,
    breaks,
    shell: { shimDiesWithAgent: false },
  })),
  {
    rule: 'only the journal that is named answers',
    breaks: 'I4',
    bounds: JOURNAL_REPLACED,
    shell: { onlyNamedJournalAnswers: false },
    without: deciding(REPORTS, (command, run, decide) =>
      decide({ ...command, journalId: run.claim?.journalId ?? command.journalId }, run),
    ),
  },
  {
    rule: 'a report of an older generation changes nothing',
    breaks: 'I4',
    bounds: { attempts: 'resumable', generations: 3 },
    without: deciding(REPORTS, (command, run, decide) =>
      decide(
        command.generation < run.generation
          ? { ...command, generation: run.generation, journalId: run.claim?.journalId ?? '' }
          : command,
        run,
      ),
    ),
  },
  {
    rule: 'after an attempt only a resume follows: the journal was replaced',
    breaks: 'I1',
    bounds: { attempts: 'resumable', ...JOURNAL_REPLACED },
    without: deciding(['DispatchRun'], (command, run, decide) =>
      decide(command, { ...run, attemptsEnded: 0 }),
    ),
  },
  {
    rule: 'after an attempt only a resume follows, and a journal refuses an initial frame of what it started',
    breaks: 'I1',
    bounds: { attempts: 'resumable' },
    without: both(
      deciding(['DispatchRun'], (command, run, decide) =>
        decide(command, { ...run, attemptsEnded: 0 }),
      ),
      ({ decideFrame, nextEntry }) => ({
        decideFrame: (run, frame, self, elsewhere, at) =>
          decideFrame({ ...run, everStarted: false }, frame, self, elsewhere, at),
        nextEntry: (entry, run, context) =>
          nextEntry(entry, { ...run, everStarted: false }, context),
      }),
    ),
  },
];
