import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SpanReceiver, waitUntil, type ReceivedSpan } from '#testing';
import { parseTraceparent } from './traceparent.js';
import { tracing } from './tracing.js';

const GIVEN = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const OTHER = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;

let receiver: SpanReceiver;
const problems: string[] = [];
beforeAll(async () => {
  receiver = await SpanReceiver.start();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '20';
  await tracing.start({ kind: 'otlp' }, { service: 'test', instance: 'test-1' }, (problem) =>
    problems.push(problem),
  );
});
afterEach(() => {
  receiver.spans.length = 0;
});
afterAll(async () => {
  await tracing.stop();
  await receiver.close();
});

const received = (name: string): Promise<ReceivedSpan> =>
  waitUntil(`span ${name}`, () => receiver.spans.find((span) => span.name === name));

describe('spans', () => {
  it('are parts of what is open around them, and say who speaks', async () => {
    await tracing.within({ name: 'outer', begins: true }, () =>
      tracing.within({ name: 'inner', facts: { 'holdfast.id': 'r1' } }, () => Promise.resolve()),
    );
    const [outer, inner] = [await received('outer'), await received('inner')];
    expect(outer).toMatchObject({ service: 'holdfast-test', parentSpanId: '' });
    expect(inner).toMatchObject({
      traceId: outer.traceId,
      parentSpanId: outer.spanId,
      facts: { 'holdfast.id': 'r1' },
    });
  });

  it('are children of what came with a message, whatever is open', async () => {
    await tracing.within({ name: 'open', begins: true }, () =>
      tracing.within({ name: 'told', parent: GIVEN }, () => Promise.resolve()),
    );
    expect(await received('told')).toMatchObject({
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      links: [],
    });
  });

  it('go on in the trace of what they are about, and link what woke them', async () => {
    await tracing.within({ name: 'woke', parent: OTHER }, () =>
      tracing.within({ name: 'about', continues: GIVEN }, () => Promise.resolve()),
    );
    const woke = await received('woke');
    expect(await received('about')).toMatchObject({
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      links: [{ traceId: woke.traceId, spanId: woke.spanId }],
    });
  });

  it('are not made for work that belongs to no trace, or to one that is not recorded', async () => {
    const unsampled = GIVEN.replace(/01$/, '00');
    tracing.open({ name: 'nowhere' }).end();
    const span = tracing.open({ name: 'unsampled', parent: unsampled });
    span.end();
    expect(parseTraceparent(span.traceparent)).toMatchObject({
      traceId: 'a'.repeat(32),
      sampled: false,
    });
    tracing.open({ name: 'last', begins: true }).end();
    await received('last');
    expect(receiver.spans.map(({ name }) => name)).toEqual(['last']);
  });

  it('hold the code of an error, and not its text', async () => {
    const failing = tracing.within({ name: 'fails', begins: true }, () =>
      Promise.reject(Object.assign(new Error('a secret'), { code: 'run.revoked' })),
    );
    await expect(failing).rejects.toThrow('a secret');
    expect((await received('fails')).facts).toEqual({ 'error.type': 'run.revoked' });
    expect(receiver.bodies.join('')).not.toContain('a secret');
  });

  it('are bounded in what they say and link', async () => {
    const links = Array.from({ length: 200 }, () => OTHER);
    const facts = { 'holdfast.events': 'x'.repeat(10_000) };
    tracing.open({ name: 'large', begins: true, links, facts }).end();
    const large = await received('large');
    expect(large.links).toHaveLength(64);
    expect(large.facts['holdfast.events']).toHaveLength(256);
  });

  it('keep nobody waiting when they are not received, which is said once', async () => {
    await receiver.close();
    for (let n = 0; n < 5_000; n += 1) tracing.open({ name: 'lost', begins: true }).end();
    await waitUntil('the problem is told', () => problems.length > 0, 30_000);
    const beganMs = performance.now();
    await tracing.stop();
    expect(performance.now() - beganMs).toBeLessThan(2_500);
    expect(problems).toEqual([
      'spans are not received; they are dropped, and nothing else is affected',
    ]);
  }, 60_000);
});
