import type { OutputView, Page, RunDetailView, RunView } from '#contracts';
import { EXIT, type ExitCode } from '../exit-codes.js';
import {
  ago,
  bytes,
  fields,
  paintStatus,
  plain,
  shortened,
  table,
  when as momentOf,
} from '../text.js';
import { printJson, type Verb } from '../verb.js';
import { decisionOn, type Decision } from './timeline.js';

export interface RunsOptions {
  readonly status?: string;
  readonly agent?: string;
  readonly node?: string;
  readonly session?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/** The newest runs first. */
export const runs = async (verb: Verb, options: RunsOptions): Promise<ExitCode> => {
  const { io, api } = verb;
  const page = await api.get<Page<RunView>>(`/v1/runs${queryOf({ ...options })}`);
  if (verb.json) printJson(io, page);
  else io.out.write(page.items.length === 0 ? 'no runs\n' : runTable(verb, page.items));
  if (!verb.json && page.nextCursor !== null) io.err.write(`more: --cursor ${page.nextCursor}\n`);
  return EXIT.done;
};

export const runTable = ({ io, colour }: Verb, items: readonly RunView[]): string =>
  table(
    ['RUN', 'STATUS', 'AGENT', 'NODE', 'SUBMITTED', 'NOTE'],
    items.map((run) => [
      run.runId,
      {
        text: run.status,
        paint: (padded) => padded.replace(run.status, paintStatus(run.status, colour)),
      },
      run.agent,
      run.node,
      ago(run.submittedAt, io.now()),
      run.waitsFor ?? run.code ?? '',
    ]),
  );

/** One run, or all of its output. */
export const run = async (
  verb: Verb,
  runId: string,
  options: { readonly output?: boolean },
): Promise<ExitCode> => {
  const { io, api } = verb;
  const view = await api.get<RunDetailView>(`/v1/runs/${encodeURIComponent(runId)}`);
  if (options.output === true) {
    await copyOutput(verb, runId);
    return EXIT.done;
  }
  if (verb.json) {
    printJson(io, view);
    return EXIT.done;
  }
  const decision = view.settledBy === 'operator' ? await decisionOn(verb, runId) : undefined;
  io.out.write(describeRun(verb, view, decision));
  return EXIT.done;
};

/** What there is now; a run that goes on is not waited for. */
const copyOutput = async (verb: Verb, runId: string): Promise<void> => {
  const { io, api } = verb;
  const path = `/v1/runs/${encodeURIComponent(runId)}/output`;
  if (verb.json) {
    printJson(io, await api.get(path));
    return;
  }
  let page = await api.get<OutputView>(path);
  while (page.items.length > 0) {
    for (const { data } of page.items) io.out.write(Buffer.from(data, 'base64'));
    page = await api.get<OutputView>(`${path}?after=${page.next}`);
  }
  if (page.missingBytes > 0)
    io.err.write(`${bytes(page.missingBytes)} of the output are not here (yet)\n`);
};

const describeRun = (verb: Verb, view: RunDetailView, decision: Decision | undefined): string => {
  const when = (time: string | null): string | null => momentOf(time, verb.io.now());
  const { unknown, stop, output, receipts } = view;
  return fields([
    ['run', view.runId],
    ['status', paintStatus(view.status, verb.colour)],
    ['waits for', view.waitsFor === null ? null : plain(view.waitsFor)],
    ['code', view.code],
    ['settled by', decision ? `${view.settledBy ?? ''} ${plain(decision.actor)}` : view.settledBy],
    ['note', decision ? plain(decision.note) : null],
    ['agent', `${view.agent} (${view.runtime})`],
    ['node', view.node],
    ['session', view.sessionId],
    ['submitted', `${when(view.submittedAt) ?? ''} by ${plain(view.submittedBy)}`],
    ['dispatched', when(view.dispatchedAt)],
    ['started', when(view.startedAt)],
    ['ended', when(view.endedAt)],
    ['attempts', `${view.attempts} of at most ${view.attemptsMax}`],
    ['sent', when(receipts.sentAt)],
    ['acknowledged', when(receipts.ackedAt)],
    ['observed', when(receipts.observedAt)],
    ['exit code', view.exitCode === null ? null : String(view.exitCode)],
    [
      'output',
      output === null ? null : `${bytes(output.bytes)}${output.truncated ? ', truncated' : ''}`,
    ],
    ['stop asked', stop === null ? null : `${when(stop.requestedAt) ?? ''}: ${plain(stop.reason)}`],
    ['unknown', unknown === null ? null : `${unknown.code}, seen by the ${unknown.witness}`],
    ['evidence', unknown === null ? null : plain(unknown.reason)],
    [
      'session free',
      unknown === null ? null : unknown.fenced ? 'yes: proven to run no longer' : 'no',
    ],
    ['what next', unknown === null ? null : plain(unknown.advice)],
    ['late evidence', view.lateEvidence === 0 ? null : String(view.lateEvidence)],
    ['alarm', view.alarming ? 'evidence shows a start that must not have been' : null],
    ['prompt', shortened(view.prompt)],
  ]);
};

export const queryOf = (parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};
