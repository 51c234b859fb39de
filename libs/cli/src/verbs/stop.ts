import type { StopView } from '#contracts';
import type { StopTarget } from '#stops/contract';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { waitFor } from '../follow.js';
import { fields, paintStatus, plain } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { keyFor } from './submit.js';

export interface StopOptions {
  readonly reason: string;
  readonly key?: string;
  readonly wait?: boolean;
  /** The spawn whose agent is meant. */
  readonly agent?: string;
}

/** Asks for a run, or for the agent of a spawn, to end; with `wait`, says what was proven to have stopped. */
export const stop = async (
  verb: Verb,
  runId: string | undefined,
  options: StopOptions,
): Promise<ExitCode> => {
  const { io, api } = verb;
  const target = targetOf(runId, options.agent);
  const body = { target, reason: options.reason };
  const { value } = await api.command<{ stopId: string }>(
    '/v1/stops',
    body,
    keyFor(io, options.key),
  );
  if (options.wait !== true) {
    if (verb.json) printJson(io, value);
    else io.out.write(`${value.stopId}\n`);
    return EXIT.done;
  }
  const end = await waitForStop(verb, value.stopId, target);
  if (verb.json) printJson(io, end);
  else io.out.write(describeStop(verb, end));
  return EXIT_OF[end.outcome];
};

const targetOf = (runId: string | undefined, spawnId: string | undefined): StopTarget => {
  if (runId !== undefined && spawnId !== undefined)
    throw new VerbFailed(EXIT.usage, `stop run ${runId}, or --agent ${spawnId}: one at a time`);
  if (spawnId !== undefined) return { kind: 'agent', id: spawnId };
  if (runId !== undefined) return { kind: 'run', id: runId };
  throw new VerbFailed(EXIT.usage, 'there is nothing to stop', {
    remedies: ['Name a run, or with --agent the spawn whose agent is to end.'],
  });
};

/** A stop that came too late had no effect, which a script must be able to see. */
const EXIT_OF: Readonly<Record<StopView['outcome'], ExitCode>> = {
  proven: EXIT.done,
  'too-late': EXIT.failed,
  unknown: EXIT.unknown,
  pending: EXIT.unknown,
};

const waitForStop = (verb: Verb, stopId: string, target: StopTarget): Promise<StopView> =>
  waitFor<StopView>(verb, {
    path: `/v1/stops/${encodeURIComponent(stopId)}`,
    wordsOf: progressOf,
    onChange: (view) => verb.io.err.write(`${progressOf(view)}\n`),
    isOver: ({ outcome }) => outcome !== 'pending',
    interrupted: () =>
      new VerbFailed(EXIT.unknown, `stopped waiting; the stop ${stopId} goes on`, {
        remedies: [
          target.kind === 'agent'
            ? `holdfast spawns show ${target.id}   shows where it stands`
            : `holdfast run ${target.id}   shows where it stands`,
        ],
      }),
  });

const progressOf = ({ outcome, runStatus }: StopView): string =>
  `${outcome}${runStatus ? `: run ${runStatus}` : ''}`;

const describeStop = (verb: Verb, view: StopView): string =>
  fields([
    ['stop', view.stopId],
    ['outcome', paintStatus(view.outcome, verb.colour)],
    ['agent of spawn', view.target.kind === 'agent' ? view.target.id : null],
    ['run', view.runStatus],
    ['proof', view.proof === null ? null : plain(view.proof)],
    ['remains', view.remains.length === 0 ? null : view.remains.map(plain).join(', ')],
  ]);
