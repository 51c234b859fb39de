import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmissionView } from '#contracts';
import { SpanReceiver, waitUntil, type ReceivedSpan } from '#testing';
import { Fixture, SHORT_WINDOWS } from './support/fixture.js';
import { exposedIn, missingFrom, namedIn, ownAmong } from './support/metric-names.js';

const CHECKOUT = new URL('../', import.meta.url).pathname;
/** Part of the prompt, and what the agent answers: neither may ever be exported. */
const SECRET = 'flamingo-7f3a';

/** Of the stack's processes, those that are not ours. */
const STORES: ReadonlySet<string> = new Set(['nats-server', 'postgres']);

/** The spans of one trace, and who caused what in it. */
class Trace {
  constructor(
    private readonly receiver: SpanReceiver,
    readonly id: string,
  ) {}

  get spans(): readonly ReceivedSpan[] {
    return this.receiver.spans.filter(({ traceId }) => traceId === this.id);
  }

  /** The span of this name whose facts contain these, once it was received. */
  find(name: string, facts: Readonly<Record<string, string>> = {}): Promise<ReceivedSpan> {
    const fits = (span: ReceivedSpan): boolean =>
      span.name === name &&
      Object.entries(facts).every(([fact, value]) => span.facts[fact]?.split(',').includes(value));
    return waitUntil(`span ${name} ${JSON.stringify(facts)}`, () => this.spans.find(fits), 20_000);
  }

  /** From a span up to where its trace begins, or to the first that nobody sent. */
  ancestry(span: ReceivedSpan): readonly string[] {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    const own = `${span.service.replace('holdfast-', '')}: ${span.name}`;
    return parent === undefined ? [own] : [own, ...this.ancestry(parent)];
  }
}

/** From the outcome up to the request. */
const WAY_BACK = [
  'commands: append run',
  'commands: runs.report',
  'node-agent: request runs.report',
  'node-agent: attempt',
  'sagas: publish frame',
  'sagas: step dispatch',
  'sagas: handle run',
  'commands: append run',
  'commands: runs.submit',
  'gateway: request runs.submit',
  'gateway: POST /v1/submissions',
];

/** Each process sends its spans when it comes to it: the way back is whole once its first part has come. */
const isWhole = (trace: Trace, outcome: Parameters<Trace['ancestry']>[0]): Promise<unknown> =>
  waitUntil(
    'the way back to the submission',
    () => trace.ancestry(outcome).at(-1) === WAY_BACK.at(-1),
  );

describe('a system that is traced', () => {
  let fixture: Fixture;
  let receiver: SpanReceiver;

  beforeAll(async () => {
    receiver = await SpanReceiver.start();
    // The stack hands these on to its services.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
    // A run waits here for sagas that start anew, which must not count as stranded.
    fixture = await Fixture.start({ windows: { ...SHORT_WINDOWS, strandedMs: 60_000 } });
  }, 240_000);
  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    delete process.env['OTEL_BSP_SCHEDULE_DELAY'];
    await fixture.destroy();
    await receiver.close();
  }, 60_000);

  /** Submits in the trace of a caller who has one. */
  const submitIn = async (traceId: string, prompt: string): Promise<string> => {
    const { body } = await fixture.client.send<SubmissionView>('/v1/submissions', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
      },
      body: JSON.stringify({ agent: 'ledger', prompt }),
    });
    return body.runId;
  };

  it('shows a run as one trace, from the HTTP request to the outcome', async () => {
    const { runId } = await fixture.client.submit('ledger', `say:${SECRET}`);
    await fixture.client.untilStatus(runId, 'completed');
    const submitted = await waitUntil('the submission', () =>
      receiver.spans.find(({ facts }) => facts['holdfast.id'] === runId),
    );
    const trace = new Trace(receiver, submitted.traceId);
    const outcome = await trace.find('append run', { 'holdfast.events': 'RunCompleted' });
    await isWhole(trace, outcome);
    expect(trace.ancestry(outcome)).toEqual(WAY_BACK);
    const claim = await trace.find('append run', { 'holdfast.events': 'RunClaimed' });
    expect(trace.ancestry(claim).slice(0, 4)).toEqual([
      'commands: append run',
      'commands: runs.claim',
      'node-agent: request runs.claim',
      'sagas: publish frame',
    ]);
    const taken = await trace.find('take frame', { 'holdfast.redelivered': 'false' });
    expect(trace.ancestry(taken)[1]).toBe('sagas: publish frame');
    const decided = await trace.find('decide SubmitRun');
    expect(trace.ancestry(decided)[1]).toBe('commands: runs.submit');
    await waitUntil('a batch of a projection that links it', () =>
      receiver.spans.some(
        ({ name, links }) => name === 'project' && links.some((link) => link.traceId === trace.id),
      ),
    );
    // One dispatch, one attempt: nothing looks like a second send.
    const named = (name: string): number => trace.spans.filter((one) => one.name === name).length;
    expect([named('publish frame'), named('take frame'), named('attempt')]).toEqual([1, 1, 1]);
  }, 90_000);

  it('goes on in the same trace when the sagas are killed before they dispatch', async () => {
    const traceId = randomUUID().replaceAll('-', '');
    fixture.stack.kill('sagas', 'SIGSTOP'); // It is given the commit, and never gets to it.
    const runId = await submitIn(traceId, `say:${SECRET}`);
    fixture.stack.kill('sagas', 'SIGKILL');
    await fixture.client.untilStatus(runId, 'completed');
    const trace = new Trace(receiver, traceId);
    const outcome = await trace.find('append run', { 'holdfast.events': 'RunCompleted' });
    await isWhole(trace, outcome);
    // Who woke the next one is left open: the commit that came again, or the reconciler, whose call belongs to no trace.
    const unwoken = (way: readonly string[]): readonly string[] =>
      way.filter((one) => one !== 'sagas: handle run');
    expect(unwoken(trace.ancestry(outcome))).toEqual(unwoken(WAY_BACK));
    const root = await trace.find('POST /v1/submissions');
    expect(root.parentSpanId).toBe('b'.repeat(16));
  }, 90_000);

  it('exports no prompt, no output and no token', () => {
    const exported = receiver.bodies.join('\n');
    expect(exported).toContain('RunCompleted'); // So there is something to look through.
    expect(exported).not.toContain(SECRET);
    expect(exported).not.toContain(fixture.stack.operatorToken);
  });

  it('exposes every metric that dashboard and alerts name, and they show every one that is ours', async () => {
    const { stack } = fixture;
    const services = Object.keys(stack.pids()).filter((name) => !STORES.has(name));
    expect(services).toHaveLength(7);
    const texts = await Promise.all(services.map((service) => fixture.metricsOf(service)));
    const exposed = new Set(texts.flatMap((text) => [...exposedIn(text)]));
    const dashboard = await readFile(join(CHECKOUT, 'deploy/grafana/holdfast.json'), 'utf8');
    const alerts = await readFile(join(CHECKOUT, 'deploy/prometheus/alerts.yml'), 'utf8');
    expect(missingFrom(exposed, dashboard)).toEqual([]);
    expect(missingFrom(exposed, alerts)).toEqual([]);
    const shown = new Set(namedIn(dashboard, exposed));
    expect(ownAmong(exposed).filter((name) => !shown.has(name))).toEqual([]);
    // An invented metric is found, and so is one that no panel shows.
    expect(missingFrom(exposed, 'rate(holdfast_invented_total[5m])')).toEqual([
      'holdfast_invented_total',
    ]);
    expect(ownAmong(exposedIn('# TYPE holdfast_unseen_total counter'))).toEqual([
      'holdfast_unseen_total',
    ]);
    expect(namedIn('x_holdfast holdfast_append_seconds_bucket', exposed)).toEqual([
      'holdfast_append_seconds',
    ]);
  });

  it('works, and ends in time, when nobody takes the spans', async () => {
    receiver.hangs = true;
    const { runId } = await fixture.client.submit('ledger', 'say:on');
    await fixture.client.untilStatus(runId, 'completed');
    const beganMs = performance.now();
    fixture.stack.kill('gateway', 'SIGTERM');
    const ended = await waitUntil('the gateway to end', () =>
      fixture.events.find((event) => event.kind === 'ended' && event.name === 'gateway'),
    );
    // A second is its own bound; the rest is a busy machine's.
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    expect(ended).toMatchObject({ exit: { code: 0 } });
  }, 90_000);
});

describe('a service that nobody asked for spans', () => {
  /** Packages of OpenTelemetry that a gateway loads until it listens. */
  const loaded = async (environment: Readonly<Record<string, string>>): Promise<number> => {
    const home = await mkdtemp(join(tmpdir(), 'hf-'));
    const list = join(home, 'loaded');
    const gateway = spawn(
      process.execPath,
      [
        '--import',
        join(CHECKOUT, 'test-e2e/support/module-watch.mjs'),
        join(CHECKOUT, 'dist/programs/gateway.js'),
      ],
      {
        env: {
          ...environment,
          LOADED_PACKAGES_FILE: list,
          HOLDFAST_HOME: home,
          HOLDFAST_PORT: '0',
          NATS_URL: 'nats://127.0.0.1:1',
        },
        stdio: 'ignore',
      },
    );
    try {
      await waitUntil(
        'the gateway to listen',
        // eslint-disable-next-line holdfast/no-silent-catch -- the file is not there yet.
        () => readFile(join(home, 'run', 'gateway.port')).catch(() => undefined),
        60_000,
      );
      const packages = (await readFile(list, 'utf8')).split('\n');
      expect(packages).toContain('pino'); // It does see what is loaded.
      return packages.filter((name) => name.startsWith('@opentelemetry/')).length;
    } finally {
      gateway.kill('SIGKILL');
      await once(gateway, 'exit');
      await rm(home, { recursive: true, force: true });
    }
  };

  it('loads nothing of OpenTelemetry; one that was asked does', async () => {
    expect(await loaded({})).toBe(0);
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBeGreaterThan(0);
  }, 150_000);
});
