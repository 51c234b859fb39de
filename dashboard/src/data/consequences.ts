import type { AgentView, NodeView, RunView } from '../../../libs/contracts/src/views.js';
import { isOpen } from './run-status.js';

/** What is known beside the run; undefined where it is not. */
export interface Around {
  readonly node: Pick<NodeView, 'liveness' | 'membership'> | undefined;
  readonly agent: Pick<AgentView, 'capabilities'> | undefined;
}

type Stoppable = Pick<RunView, 'status' | 'node' | 'attempts' | 'stop' | 'unknown'>;

/** Source: the default of `stopGraceMs` in a node's configuration; a node does not tell which one it has. */
export const GRACE = '5 s, unless its node’s configuration says otherwise';
export const DONE_STAYS = 'What it has done stays done: a stop undoes nothing.';

/**
 * What a stop of this run will do, in plain words, one sentence or two each. Pure.
 *
 * The decider and the ladder do what is said here: `libs/runs/src/domain/run.decider.ts` (`requestStop`),
 * `run.end-report.ts`, `libs/execution/src/process/ladder.ts`.
 */
export const consequencesOfStop = (run: Stoppable, around: Around): readonly string[] => {
  switch (run.status) {
    case 'queued':
      return run.attempts === 0
        ? ['It has not been started, and never will be: it ends as stopped at once.']
        : [
            'It waits to be resumed, and will not be: it ends as stopped at once.',
            DONE_STAYS,
            ...ofRuntime(around),
          ];
    case 'dispatched':
      return [
        `Node ${run.node} has been told of it, and has not started it. Once the stop is accepted it never may: the run ends as stopped at once.`,
        'If it starts before that, it is stopped as a running one is: by a polite signal, then by a kill.',
      ];
    case 'running':
      return [
        ...ofSignals(run, around),
        DONE_STAYS,
        'Once the stop is accepted, it can not count as completed any more. If it ends by itself before that, its outcome stands.',
        ...ofRuntime(around),
        'Its session goes on with its next run when this one has ended.',
      ];
    case 'unknown':
      return run.unknown?.fenced === true
        ? [
            'It is proven that nothing of it runs any more: nothing is signalled, and it ends as stopped at once.',
            'What it did stays done, and is as unknown as before. If you found it out, settle it instead.',
            ...ofRuntime(around),
          ]
        : [
            ...ofSignals(run, around),
            'What it did stays done, and is as unknown as before.',
            'Once the stop is accepted, it can not count as completed any more, not even by your decision.',
            ...ofRuntime(around),
          ];
    case 'stopping':
      return ['It is being stopped already. A second stop changes nothing.'];
    case 'completed':
    case 'failed':
    case 'stopped':
    case 'abandoned':
      return [`It has ended: it is ${run.status}. A stop changes nothing any more.`];
  } // No default: a new status does not compile until its consequences are told.
};

const isAway = ({ node }: Around): boolean =>
  node?.membership === 'left' || node?.liveness === 'silent';

const ofSignals = ({ node }: Stoppable, around: Around): readonly string[] =>
  isAway(around)
    ? [
        `Node ${node} is silent now. The stop is kept, and reaches the node when it is back; until then the outcome is shown as unknown.`,
      ]
    : [
        `Node ${node} sends all that it started for this run a polite signal, and kills what is left of it after a grace period (${GRACE}).`,
        'If the node does not answer, the outcome is shown as unknown, and the stop reaches the node when it is back.',
      ];

/** Some runtimes are servers: what they have begun may go on without the program that asked for it. */
const ofRuntime = ({ agent }: Around): readonly string[] =>
  agent?.capabilities.outlivesClient === true
    ? [
        'Its runtime goes on without its client: a turn that it does not confirm to have ended is named as what may go on.',
      ]
    : [];

/** How an operator can settle an unknown outcome, and what each of them says. */
export const RESOLUTIONS = [
  { as: 'completed', means: 'the work was done' },
  { as: 'failed', means: 'the work was not done, or not all of it' },
  { as: 'abandoned', means: 'nobody will find out, and it no longer matters' },
] as const;
export type Resolution = (typeof RESOLUTIONS)[number]['as'];

/**
 * What a decision on this run's outcome will do, in plain words. Pure.
 *
 * Source: `resolve` in `libs/runs/src/domain/run.decider.ts`, and what `run.reports.ts` makes of a report that comes after it.
 */
export const consequencesOfSettling = (run: Stoppable, around: Around): readonly string[] => {
  if (run.status !== 'unknown') return [knownNow(run)];
  return [
    'You say what happened. It is recorded with your name and your note, and can not be taken back.',
    'Holdfast sends nothing again. Proof that comes later is kept as late evidence, and does not change your decision.',
    ...(run.unknown?.fenced === true
      ? ['It is proven that nothing of it runs any more. Its session goes on already.']
      : [
          `Nothing is stopped by this. If it still runs on node ${run.node}, it goes on beside the next run of its session, and can not be stopped from here any more.`,
        ]),
    ...(run.stop === null ? [] : ['A stop of it was accepted, so it can not count as completed.']),
    ...(isAway(around)
      ? [
          `Node ${run.node} is silent now. When it is back, its journal may still show what happened.`,
        ]
      : []),
  ];
};

const knownNow = ({ status }: Stoppable): string =>
  isOpen(status)
    ? `Its outcome is no longer unknown: it is ${status}. There is nothing to decide now.`
    : `Its outcome is known by now: it is ${status}. There is nothing left to decide.`;

/** Whether a stop would do anything, as far as the page knows. */
export const isStoppable = ({ status, stop }: Pick<RunView, 'status' | 'stop'>): boolean =>
  isOpen(status) && stop === null;
