import { isSettled } from '#runs/contract';
import { RUN_INVARIANTS } from '../runs/index.js';
import type { RunControl } from './control.js';
import { REPORTS, both, deciding } from './wrappers.js';

const notDispatchable = deciding(['DispatchRun'], (command, run, decide) =>
  decide(command, { ...run, stop: null }),
);

/** What was once said: settled, stopped, unknown. */
export const OUTCOME_CONTROLS: readonly RunControl[] = [
  ...(['I2', 'I4', 'I6'] as const).map((breaks): RunControl => ({
    rule: `what a saga appends is under compare-and-set: ${RUN_INVARIANTS[breaks]}`,
    breaks,
    bounds: { staleSagas: true },
    shell: { compareAndSet: false },
  })),
  ...(['I2', 'I3'] as const).map((breaks): RunControl => ({
    rule: `the first outcome stands: ${RUN_INVARIANTS[breaks]}`,
    breaks,
    without: deciding(['ReportEnd'], (command, run, decide) =>
      decide(
        command,
        isSettled(run.status) && command.end.how === 'completed'
          ? { ...run, status: 'running', stop: null }
          : run,
      ),
    ),
  })),
  {
    rule: 'an unclaimed run is stopped in the same commit, and what has a stop recorded is not dispatched',
    breaks: 'I6',
    without: both(
      notDispatchable,
      deciding(['RequestRunStop'], (command, run, decide) =>
        decide(command, run).filter((event) => event.type !== 'RunStopped'),
      ),
      ({ evolveRun }) => ({
        evolveRun: (run, event) => {
          const after = evolveRun(run, event);
          const open = run.status === 'queued' || run.status === 'dispatched';
          return open && after.status === 'stopping' ? { ...after, status: run.status } : after;
        },
      }),
    ),
  },
  {
    rule: 'a stop is kept on the way out of unknown: an outcome becomes stopped',
    breaks: 'I3',
    without: deciding(['ReportEnd'], (command, run, decide) =>
      decide(command, run.status === 'unknown' ? { ...run, stop: null } : run),
    ),
  },
  {
    rule: 'a stop is kept on the way out of unknown: what is seen running is stopping',
    breaks: 'I3',
    without: ({ evolveRun }) => ({
      evolveRun: (run, event) => {
        const after = evolveRun(run, event);
        return event.type === 'RunObservedRunning' && after.status !== 'none'
          ? { ...after, status: 'running', stop: null }
          : after;
      },
    }),
  },
  {
    rule: 'a stop is kept when an attempt ends, and what has a stop recorded is not dispatched',
    breaks: 'I6',
    bounds: { attempts: 'resumable' },
    without: both(
      notDispatchable,
      deciding(['ReportEnd'], (command, run, decide) =>
        decide(command, command.end.how === 'interrupted' ? { ...run, stop: null } : run),
      ),
    ),
  },
  {
    rule: 'an operator does not call completed what was stopped',
    breaks: 'I3',
    without: deciding(['ResolveRun'], (command, run, decide) =>
      decide(command, { ...run, stop: null }),
    ),
  },
  {
    rule: 'a stop is proven only when nothing of it is left alive',
    breaks: 'I11',
    bounds: { orphans: true },
    without: deciding(['ReportEnd'], (command, run, decide) =>
      decide(
        command.end.how === 'lost'
          ? { ...command, end: { how: 'lost', reason: command.end.reason } }
          : command,
        run,
      ),
    ),
  },
  {
    rule: 'whoever is told to stop what is over says again how it ended',
    breaks: 'L1',
    shell: { saysAgainWhenToldToStop: false },
  },
  {
    rule: 'unknown is open to proof',
    breaks: 'L2',
    without: deciding(REPORTS, (command, run, decide) =>
      run.status === 'unknown' ? [] : decide(command, run),
    ),
  },
  {
    rule: 'the proof that it never started settles an unknown run',
    breaks: 'L2',
    without: deciding(['ReportNotStarted'], (command, run, decide) =>
      run.status === 'unknown' ? [] : decide(command, run),
    ),
  },
  {
    rule: 'what is proven gone fences an unknown run',
    breaks: 'L2',
    without: deciding(['ReportEnd'], (command, run, decide) =>
      decide(command, run).filter((event) => event.type !== 'RunFenced'),
    ),
  },
  {
    rule: 'the highest alarm is kept for a start that was excluded',
    breaks: 'I7',
    without: deciding(['ReportRunning'], (command, run, decide) =>
      decide(command, run).map((event) =>
        event.type === 'LateEvidenceRecorded'
          ? { ...event, data: { ...event.data, showsStart: true } }
          : event,
      ),
    ),
  },
];
