import type { RunControl } from './control.js';
import { both, deciding } from './wrappers.js';

const RESTORE = { restore: true, crashes: 0 } as const;
const TWO_JOURNALS = { ...RESTORE, replacement: true } as const;

/** As if no restore had happened since it was dispatched. */
const inItsOwnEpoch = <Command extends object>(command: Command): Command => ({
  ...command,
  epoch: 1,
});

/** What is no longer certain after a restore. */
export const RESTORE_CONTROLS: readonly RunControl[] = [
  {
    rule: 'after a restore every journal answers before a run is dispatched',
    breaks: 'I1',
    bounds: TWO_JOURNALS,
    without: () => ({ judgeJournals: () => ({ kind: 'nothing-forgotten' }) }),
  },
  {
    rule: 'what was dispatched before a restore is not taken back as unclaimed',
    breaks: 'I4',
    bounds: RESTORE,
    without: both(
      deciding(['RevokeDispatch'], (command, run, decide) => decide(inItsOwnEpoch(command), run)),
      ({ nextRun }) => ({
        nextRun: (run, context) =>
          nextRun(run, run.status === 'dispatched' ? inItsOwnEpoch(context) : context),
      }),
    ),
  },
  {
    rule: 'what was dispatched before a restore is not stopped as unclaimed',
    breaks: 'I4',
    bounds: RESTORE,
    without: deciding(['RequestRunStop'], (command, run, decide) =>
      decide(run.status === 'dispatched' ? inItsOwnEpoch(command) : command, run),
    ),
  },
  {
    rule: 'what was queued before a restore is stopped only when its journals answered',
    breaks: 'I11',
    bounds: RESTORE,
    without: deciding(['RequestRunStop'], (command, run, decide) =>
      decide(run.status === 'queued' ? inItsOwnEpoch(command) : command, run),
    ),
  },
  {
    rule: 'a generation from before a restore is claimed by nobody',
    breaks: 'I1',
    bounds: TWO_JOURNALS,
    without: deciding(['ClaimRun'], (command, run, decide) => decide(inItsOwnEpoch(command), run)),
  },
  {
    rule: 'a closing from before a restore does not prove that the run never started',
    breaks: 'I10',
    bounds: RESTORE,
    without: deciding(['ReportNotStarted'], (command, run, decide) =>
      decide(inItsOwnEpoch(command), run),
    ),
  },
  {
    rule: 'an attempt that ended before a restore does not prove that the run is stopped',
    breaks: 'I11',
    bounds: { ...RESTORE, attempts: 'resumable', crashes: 1 },
    without: deciding(['ReportEnd'], (command, run, decide) => decide(inItsOwnEpoch(command), run)),
  },
  {
    rule: 'a journal may know of a later generation than the stream that was restored',
    breaks: 'L1',
    bounds: RESTORE,
    without: deciding(['RecordOutcomeUnknown'], (command, run, decide) =>
      command.generation > run.generation && run.status === 'dispatched'
        ? []
        : decide(command, run),
    ),
  },
  {
    rule: 'a start that the stream knows of is not a forgotten one, and an attempt is counted once',
    breaks: 'I9',
    bounds: { ...RESTORE, attempts: 'resumable', crashes: 1 },
    without: ({ evolveRun, judgeJournals }) => ({
      judgeJournals: (run, answers) => judgeJournals({ ...run, ended: [] }, answers),
      evolveRun: (run, event) =>
        evolveRun(
          event.type === 'RunAttemptEnded' && run.status !== 'none' ? { ...run, ended: [] } : run,
          event,
        ),
    }),
  },
  {
    rule: 'a journal that is asked after a restore closes what it has not started, whatever else it started',
    breaks: 'I4',
    bounds: { ...RESTORE, attempts: 'resumable', crashes: 1 },
    without: ({ decideAsk }) => ({
      decideAsk: (run, ask, self, starting, at) => {
        const decided = decideAsk(run, ask, self, starting, at);
        return decided.started === undefined ? decided : { ...decided, records: [] };
      },
    }),
  },
];
