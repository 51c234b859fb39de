import type { ChangeView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { followOutput, reportEnd, waitForRun, waitWithOutput } from '../follow.js';
import { pause } from '../io.js';
import { paintStatus, plain } from '../text.js';
import { printJsonLine, type Verb } from '../verb.js';

/** One run to its outcome, or everything that changes until Ctrl-C. */
export const watch = async (verb: Verb, runId: string | undefined): Promise<ExitCode> => {
  if (runId === undefined) return watchChanges(verb);
  if (!verb.json) return reportEnd(verb, await waitWithOutput(verb, runId));
  const enough = new AbortController();
  const printing = (async () => {
    for await (const chunk of followOutput(verb, runId, enough.signal))
      printJsonLine(verb.io, chunk);
  })();
  try {
    const run = await waitForRun(verb, runId, ({ status }) => verb.io.err.write(`${status}\n`));
    await Promise.race([printing, pause(verb.io.patience.lastOutputMs, verb.io.interrupted)]);
    printJsonLine(verb.io, run);
    return reportEnd(verb, run);
  } finally {
    enough.abort();
    await printing;
  }
};

/** How often a server that can't be reached is tried before the watch gives up, in pauses of `pauseMaxMs`. */
const LOST_MAX = 30;

const watchChanges = async (verb: Verb): Promise<ExitCode> => {
  const { io, api } = verb;
  await api.get('/v1/me'); // A refusal should end the verb, not be tried again.
  let seen: string | undefined;
  let lost = 0;
  while (!io.interrupted.aborted) {
    for await (const { event, id, data } of api.events('/v1/changes', seen, io.interrupted)) {
      lost = 0;
      seen = id ?? seen;
      if (event === 'change') printChange(verb, JSON.parse(data) as ChangeView);
      if (event === 'gap') io.err.write('some changes were missed; `holdfast runs` shows all\n');
    }
    lost += 1;
    if (lost > LOST_MAX) throw new VerbFailed(EXIT.failed, 'the server stayed away');
    await pause(io.patience.pauseMaxMs, io.interrupted);
  }
  return EXIT.done;
};

const printChange = ({ io, json, colour }: Verb, change: ChangeView): void => {
  if (json) {
    printJsonLine(io, change);
    return;
  }
  const time = new Date(io.now()).toTimeString().slice(0, 8);
  const status = paintStatus(change.status, colour);
  io.out.write(`${time}  ${change.kind.padEnd(7)}  ${plain(change.id)}  ${status}\n`);
};
