import { isSettled } from '#runs/contract';
import type { RunControl } from './control.js';
import { both, deciding, unclaimed } from './wrappers.js';

const JOURNAL_REPLACED = { replacement: true, crashes: 0 } as const;

/** The claim, and who may start: what makes an unclaimed generation certainly unsent. */
export const CLAIM_CONTROLS: readonly RunControl[] = [
  {
    rule: 'the claim is appended under compare-and-set',
    breaks: 'I4',
    shell: { compareAndSetOfClaims: false },
  },
  {
    rule: 'the claim is appended under compare-and-set: settled stays settled',
    breaks: 'I2',
    shell: { compareAndSetOfClaims: false },
  },
  {
    rule: 'an agent starts only after its claim is acknowledged',
    breaks: 'I4',
    without: ({ nextEntry }) => ({
      nextEntry: (entry, run, context) => {
        const next = nextEntry(entry, run, context);
        return next.kind === 'take' && next.step.kind === 'claim'
          ? { kind: 'take', step: { kind: 'startShim' } }
          : next;
      },
    }),
  },
  {
    rule: 'a claim is refused for a generation that was taken back',
    breaks: 'I4',
    without: deciding(['ClaimRun'], (command, run, decide) =>
      decide(command, run.status === 'queued' ? unclaimed(run, command) : run),
    ),
  },
  {
    rule: 'a claim is refused for a run that is stopped or settled: it stays settled',
    breaks: 'I2',
    without: deciding(['ClaimRun'], (command, run, decide) =>
      decide(command, isSettled(run.status) ? unclaimed(run, command) : run),
    ),
  },
  {
    rule: 'a claim is refused for a run that is stopped or settled: what was unclaimed does not start',
    breaks: 'I4',
    without: deciding(['ClaimRun'], (command, run, decide) =>
      decide(command, isSettled(run.status) ? unclaimed(run, command) : run),
    ),
  },
  {
    rule: 'a frame names its journal, and a claim is refused while another holds it (each alone is redundant)',
    breaks: 'I5',
    bounds: JOURNAL_REPLACED,
    without: both(
      ({ decideFrame }) => ({
        decideFrame: (run, frame, self, elsewhere, at) =>
          decideFrame(run, { ...frame, journalId: self.journalId }, self, elsewhere, at),
      }),
      deciding(['ClaimRun'], (command, run, decide) =>
        decide(
          command,
          run.status === 'running' && run.generation === command.generation
            ? unclaimed(run, command)
            : run,
        ),
      ),
    ),
  },
  {
    rule: 'only the incarnation that claimed may start',
    breaks: 'I4',
    without: ({ nextEntry }) => ({
      nextEntry: (entry, run, context) => {
        const isUnstarted = entry.phase === 'taken' || entry.phase === 'shim';
        const grip = isUnstarted && context.grip === 'none' ? 'claimed' : context.grip;
        return nextEntry(entry, run, { ...context, grip, incarnation: entry.incarnation });
      },
    }),
  },
  {
    rule: 'an entry is closed before it is reported as not started, and the report names whose claim it disproves',
    breaks: 'I4',
    bounds: { generations: 1 },
    shell: { closesBeforeReporting: false },
    without: deciding(['ReportNotStarted'], (command, run, decide) =>
      decide({ ...command, disproves: run.claim?.incarnation ?? command.disproves }, run),
    ),
  },
  {
    rule: 'only what is unclaimed is taken back without asking',
    breaks: 'I4',
    without: both(
      deciding(['RevokeDispatch'], (command, run, decide) =>
        decide(command, run.status === 'running' ? { ...run, status: 'dispatched' } : run),
      ),
      ({ nextRun }) => ({
        nextRun: (run, context) =>
          run.status === 'running'
            ? nextRun({ ...run, status: 'dispatched' }, context)
            : nextRun(run, context),
      }),
    ),
  },
];
