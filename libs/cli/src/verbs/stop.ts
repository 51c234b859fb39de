import type { StopView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { lookWhileWaiting } from '../follow.js';
import { pause } from '../io.js';
import { fields, paintStatus, plain } from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { keyFor } from './submit.js';

export interface StopOptions {
  readonly reason: string;
  readonly key?: string;
  readonly wait?: boolean;
}

/** Asks for a run to end; with `wait`, says what was proven to have stopped. */
export const stop = async (verb: Verb, runId: string, options: StopOptions): Promise<ExitCode> => {
  const { io, api } = verb;
  const body = { target: { kind: 'run', id: runId }, reason: options.reason };
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
  const end = await waitForStop(verb, value.stopId);
  if (verb.json) printJson(io, end);
  else io.out.write(describeStop(verb, end));
  return EXIT_OF[end.outcome];
};

/** A stop that came too late had no effect, which a script must be able to see. */
const EXIT_OF: Readonly<Record<StopView['outcome'], ExitCode>> = {
  proven: EXIT.done,
  'too-late': EXIT.failed,
  unknown: EXIT.unknown,
  pending: EXIT.unknown,
};

const waitForStop = async ({ api, io }: Verb, stopId: string): Promise<StopView> => {
  let seen = '';
  for (;;) {
    const view = await lookWhileWaiting(
      io,
      () => api.get<StopView>(`/v1/stops/${encodeURIComponent(stopId)}`),
      () => interrupted(stopId),
    );
    const now = `${view.outcome} ${view.runStatus ?? ''}`;
    if (now !== seen)
      io.err.write(`${view.outcome}${view.runStatus ? `: run ${view.runStatus}` : ''}\n`);
    seen = now;
    if (view.outcome !== 'pending') return view;
    await pause(io.patience.pollMs, io.interrupted);
    if (io.interrupted.aborted) throw interrupted(stopId);
  }
};

const interrupted = (stopId: string): VerbFailed =>
  new VerbFailed(EXIT.unknown, `stopped waiting; the stop ${stopId} goes on`, {
    remedies: ['holdfast run <run>   shows where it stands'],
  });

const describeStop = (verb: Verb, view: StopView): string =>
  fields([
    ['stop', view.stopId],
    ['outcome', paintStatus(view.outcome, verb.colour)],
    ['run', view.runStatus],
    ['proof', view.proof === null ? null : plain(view.proof)],
    ['remains', view.remains.length === 0 ? null : view.remains.map(plain).join(', ')],
  ]);
