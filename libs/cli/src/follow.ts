import type { OutputChunkView, RunDetailView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from './exit-codes.js';
import { pause, type Io } from './io.js';
import { duration, fields, paintStatus, plain } from './text.js';
import type { Verb } from './verb.js';

/** Statuses in which a run is still under way by itself: it can be waited for. */
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'dispatched', 'running', 'stopping']);

/** What is waited for, and what to say when the waiting ends before it does. */
export interface Awaited<View> {
  readonly path: string;
  /** Each of these is told once, in order; several changes between two looks count as one. */
  readonly wordsOf: (view: View) => string;
  readonly onChange: (view: View) => void;
  readonly isOver: (view: View) => boolean;
  readonly interrupted: () => VerbFailed;
}

/**
 * Looks again and again until it is over.
 *
 * @throws VerbFailed the user interrupted, or the server stayed away for longer than the patience.
 */
export const waitFor = async <View>(
  { api, io }: Verb,
  { path, wordsOf, onChange, isOver, interrupted }: Awaited<View>,
): Promise<View> => {
  let seen = '';
  for (;;) {
    const view = await lookWhileWaiting(io, () => api.get<View>(path), interrupted);
    const words = wordsOf(view);
    if (words !== seen) onChange(view);
    seen = words;
    if (isOver(view)) return view;
    await pause(io.patience.pollMs, io.interrupted);
    if (io.interrupted.aborted) throw interrupted();
  }
};

/** Waits until a run is settled, or its outcome is unknown (which only proof or an operator ends). */
export const waitForRun = (
  verb: Verb,
  runId: string,
  onChange: (run: RunDetailView) => void,
): Promise<RunDetailView> =>
  waitFor<RunDetailView>(verb, {
    path: `/v1/runs/${encodeURIComponent(runId)}`,
    wordsOf: ({ status, waitsFor }) => `${status} ${waitsFor ?? ''}`,
    onChange,
    isOver: ({ status }) => !UNDER_WAY.has(status),
    interrupted: () => interrupted(runId),
  });

/**
 * Looks at what is waited for. Where nobody can be asked any more, or Ctrl-C cuts the look off, the outcome is not a
 * failure but unknown: what was asked for goes on.
 */
const lookWhileWaiting = async <Value>(
  io: Io,
  look: () => Promise<Value>,
  interrupted: () => VerbFailed,
): Promise<Value> => {
  try {
    return await look();
  } catch (error) {
    if (io.interrupted.aborted) throw interrupted();
    if (!(error instanceof VerbFailed) || error.problem !== undefined) throw error;
    const { message, remedies } = interrupted();
    throw new VerbFailed(EXIT.unknown, `${error.message}; ${message}`, { remedies, cause: error });
  }
};

/** Ctrl-C ends the waiting, not the run. */
const interrupted = (runId: string): VerbFailed =>
  new VerbFailed(EXIT.unknown, 'stopped waiting; the run goes on', {
    remedies: [`holdfast watch ${runId}   looks at it again`, `holdfast stop ${runId}    stops it`],
  });

/**
 * A run's output as it comes, each chunk once, over as many connections as it takes. Ends when the run is settled and all
 * of it was read, or when `signal` is aborted.
 */
export async function* followOutput(
  { api, io }: Verb,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<OutputChunkView, void, undefined> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/output`;
  let seen: string | undefined;
  while (!signal.aborted) {
    for await (const { event, id, data } of api.events(path, seen, signal)) {
      if (event === 'end') return;
      if (event !== 'chunk') continue;
      seen = id;
      yield JSON.parse(data) as OutputChunkView;
    }
    await pause(io.patience.pauseMs, signal);
  }
}

/** Waits for a run; its output goes to `out` as it comes, its progress to `err`. */
export const waitWithOutput = async (verb: Verb, runId: string): Promise<RunDetailView> => {
  const { io } = verb;
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, io.interrupted]);
  const copying = (async () => {
    for await (const { data } of followOutput(verb, runId, signal))
      io.out.write(Buffer.from(data, 'base64'));
  })();
  // A refusal is thrown below, after the run's own end; until then it must not end the process.
  const copied = copying.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    const run = await waitForRun(verb, runId, (seen) => {
      if (UNDER_WAY.has(seen.status)) reportProgress(verb, seen);
    });
    const graceMs = run.status === 'unknown' ? io.patience.pauseMs : io.patience.lastOutputMs;
    const failure = await Promise.race([copied, pause(graceMs, signal)]);
    // Only now: what is printed after it would look as if it came later.
    reportProgress(verb, run);
    if (failure !== undefined) throw failure as Error;
    return run;
  } finally {
    enough.abort();
    await copied;
  }
};

/** One line on `err`: the status, and what it waits for. */
export const reportProgress = ({ io }: Verb, run: RunDetailView): void => {
  const waits = run.waitsFor === null ? '' : `: ${plain(run.waitsFor)}`;
  io.err.write(`${run.status}${waits}\n`);
};

/** Says on `err` how a run ended, and turns that into an exit code. */
export const reportEnd = (verb: Verb, run: RunDetailView): ExitCode => {
  const { io } = verb;
  const took =
    run.endedAt === null
      ? ''
      : ` after ${duration(Date.parse(run.endedAt) - Date.parse(run.submittedAt))}`;
  if (run.status !== 'completed') io.err.write(explainEnd(run));
  else io.err.write(`done${took}\n`);
  return exitCodeOf(run);
};

export const exitCodeOf = (run: RunDetailView): ExitCode => {
  if (run.status === 'completed') return EXIT.done;
  return run.status === 'unknown' ? EXIT.unknown : EXIT.failed;
};

const explainEnd = (run: RunDetailView): string => {
  if (run.unknown === null)
    return fields([
      ['run', run.runId],
      ['code', run.code],
      ['exit code', run.exitCode === null ? null : String(run.exitCode)],
      ['settled by', run.settledBy],
    ]);
  const { unknown } = run;
  return fields([
    ['run', run.runId],
    ['code', unknown.code],
    ['evidence', plain(unknown.reason)],
    ['since', unknown.since],
    ['what next', plain(unknown.advice)],
    ['settle it', `holdfast resolve ${run.runId} --as completed|failed|abandoned --note "…"`],
  ]);
};

export const statusText = (verb: Verb, status: string): string => paintStatus(status, verb.colour);
