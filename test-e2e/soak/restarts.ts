import { randomUUID } from 'node:crypto';
import { waitUntil } from '#testing/wait-until';
import type { Fixture } from '../support/fixture.js';
import { IN_FLIGHT, type FixedMeasure, type Measures } from './measures.js';
import { NODE_AGENT } from './steered.round.js';

/** In the order in which they are ended; the node-agent last, since that ends its single-attempt runs. */
const SERVICES = ['gateway', 'commands', 'sagas', 'projector', 'queries', 'reconciler'] as const;
const UP_MAX_MS = 60_000;
const REQUESTS = 200;

/** SIGTERM to each service in turn, with two resumable runs and a single-attempt one in flight. @returns who did not exit with 0. */
export const sigtermToExit = async (
  fixture: Fixture,
  measures: Measures,
): Promise<readonly string[]> => {
  const gate = fixture.gate();
  const turns = await Promise.all(
    Array.from({ length: IN_FLIGHT.resumableAtSigterm }, () =>
      fixture.started('turns', `until ${gate.path}; say on`),
    ),
  );
  const single = await fixture.started('ledger', `until:${gate.path}`);
  const refusals: string[] = [];
  const end = async (name: string, measure: FixedMeasure): Promise<void> => {
    const from = Date.now();
    fixture.stack.kill(name, 'SIGTERM');
    const ended = await waitUntil(`${name} to end`, () =>
      fixture.events.find(
        (event) => event.kind === 'ended' && event.name === name && event.at >= from,
      ),
    );
    measures.add(measure, ended.at - from);
    if (ended.kind === 'ended' && ended.exit.code !== 0)
      refusals.push(`${name} ended with ${JSON.stringify(ended.exit)} at SIGTERM`);
    await fixture.stack.ready(name, UP_MAX_MS);
  };
  for (const name of SERVICES) await end(name, `sigterm.${name}`);
  await end(NODE_AGENT, 'sigterm.node-agent');
  await gate.open();
  for (const runId of turns) await fixture.client.untilStatus(runId, 'completed');
  await fixture.client.untilStatus(single, 'unknown');
  const deaf = await fixture.started('ledger', `stubborn until:${fixture.gate().path}`);
  await end(NODE_AGENT, 'sigterm.node-agent.stubborn');
  await fixture.client.untilStatus(deaf, 'unknown');
  return refusals;
};

/** SIGKILL to a server, and how long its users notice. */
export const outages = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { client, stack } = fixture;
  const kill = (name: string): number => {
    stack.kill(name, 'SIGKILL');
    return Date.now();
  };
  const brokerDied = kill('nats-server');
  const { runId: first } = await client.submit('ledger', 'say:again');
  measures.add('outage.broker', Date.now() - brokerDied);
  await client.untilStatus(first, 'completed');

  const databaseDied = kill('postgres');
  const { runId: second } = await client.submit('ledger', 'say:again');
  await waitUntil(
    'the list to show it',
    async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- asked again at the next look.
      const page = await client.get<{ items: { runId: string }[] }>('/v1/runs').catch(() => null);
      return page?.items.some(({ runId }) => runId === second) ?? false;
    },
    UP_MAX_MS,
  );
  measures.add('outage.database', Date.now() - databaseDied);

  const from = Date.now();
  for (const name of Object.keys(stack.pids())) stack.kill(name, 'SIGKILL');
  const { runId: third } = await client.submit('ledger', 'say:again');
  await client.untilStatus(third, 'completed');
  measures.add('outage.everything', Date.now() - from);
  for (const name of Object.keys(stack.pids())) await stack.ready(name, UP_MAX_MS);
};

/** How long a refusal takes, one request at a time. */
export const refusals = async (fixture: Fixture, measures: Measures): Promise<void> => {
  const { client } = fixture;
  const timed = async (
    measure: FixedMeasure,
    status: number,
    ask: () => Promise<{ status: number }>,
  ): Promise<void> => {
    await ask(); // The first one finds cold connections.
    for (let at = 0; at < REQUESTS; at += 1) {
      const from = performance.now();
      const answer = await ask();
      measures.add(measure, performance.now() - from);
      if (answer.status !== status)
        throw new Error(`${measure}: answered with ${String(answer.status)}`);
    }
  };
  await timed('error.404', 404, () => client.send(`/v1/runs/${randomUUID()}`, {}));
  const key = randomUUID();
  const { runId } = await client.submit('ledger', 'say:first', { key });
  await client.untilStatus(runId, 'completed');
  const other = { agent: 'ledger', prompt: 'say:other' };
  await timed('error.409', 409, () => client.post('/v1/submissions', other, key));
};

const PASSES = 3;

/** Commits that the reconciler makes of a system in which everything is settled: there must be none. */
export const commitsOfIdleSweeps = async (fixture: Fixture): Promise<number> => {
  const before = await fixture.stream.end();
  const passes = (): Promise<number> => fixture.counter('reconciler', 'reconciler_passes_total');
  const from = await passes();
  await waitUntil('the reconciler to pass', async () => (await passes()) >= from + PASSES, 30_000);
  return (await fixture.stream.end()) - before;
};
