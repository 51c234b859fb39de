import { afterEach, describe, expect, it } from '@jest/globals';
import { tracingSettings } from './settings.js';
import { codeOf } from './span.js';
import { formatTraceparent, parseTraceparent } from './traceparent.js';
import { tracing } from './tracing.js';

const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

describe('where spans go', () => {
  const settings = (environment: Record<string, string>) =>
    tracingSettings((name) => environment[name]);

  it('is nowhere, unless an endpoint is named', () => {
    expect(settings({})).toEqual({ kind: 'off' });
    expect(settings({ OTEL_SERVICE_NAME: 'x' })).toEqual({ kind: 'off' });
    expect(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toEqual({ kind: 'otlp' });
    expect(settings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/x' })).toEqual({
      kind: 'otlp',
    });
  });

  it.each([
    [{ OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'no http:// or https:// address'],
  ])('is nowhere with %j, which says why where it is a mistake', (environment, why) => {
    const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', ...environment };
    const { kind, because } = settings(given) as { kind: string; because?: string };
    expect(kind).toBe('off');
    if (why === undefined) expect(because).toBeUndefined();
    else expect(because).toContain(why);
  });
});

describe('a trace context', () => {
  it('is read and written as it is', () => {
    const parsed = parseTraceparent(TRACE);
    expect(parsed).toEqual({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true });
    expect(parsed && formatTraceparent(parsed)).toBe(TRACE);
    expect(parseTraceparent(TRACE.replace(/01$/, '00'))?.sampled).toBe(false);
  });

  it.each([undefined, '', 'x', TRACE.toUpperCase(), TRACE.replace('00-', '01-'), `${TRACE}-x`])(
    'is none in %j',
    (text) => expect(parseTraceparent(text)).toBeUndefined(),
  );

  it.each([
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  ])('is none in %s, which says so', (text) => expect(parseTraceparent(text)).toBeUndefined());
});

describe('an error in a span', () => {
  it('is its code, or its class, and never its text', () => {
    expect(codeOf(Object.assign(new Error('secret'), { code: 'run.revoked' }))).toBe('run.revoked');
    expect(codeOf(Object.assign(new Error('x'), { code: 'a secret sentence' }))).toBe('Error');
    expect(codeOf(new TypeError('secret'))).toBe('TypeError');
    expect(codeOf('secret')).toBe('unknown');
  });
});

describe('while tracing is off', () => {
  it('a trace that somebody gave is handed on, and none is made', async () => {
    const handedOn = await tracing.within({ name: 'a', parent: TRACE }, async (span) =>
      Promise.resolve(span.traceparent),
    );
    expect(handedOn).toBe(TRACE);
    expect(tracing.open({ name: 'b', continues: TRACE }).traceparent).toBe(TRACE);
    expect(tracing.open({ name: 'c', begins: true }).traceparent).toBeUndefined();
    expect(tracing.isOn).toBe(false);
  });

  it('what the work throws is passed on', () =>
    expect(
      tracing.within({ name: 'a' }, () => Promise.reject(new Error('as it was'))),
    ).rejects.toThrow('as it was'));
});

describe('a process that ends', () => {
  afterEach(() => tracing.stop());

  it.each([
    ['never answers', () => new Promise<void>(() => undefined)],
    ['refuses', () => Promise.reject(new Error('refused'))],
  ])('is held up for a second at most by a receiver that %s', async (_what, shutdown) => {
    const off = { isOn: true, open: () => tracing.open({ name: '' }) };
    tracing.use({ ...off, within: (_info, work) => work(off.open()), shutdown });
    const beganMs = performance.now();
    await tracing.stop();
    expect(performance.now() - beganMs).toBeLessThan(2_500);
    expect(tracing.isOn).toBe(false);
  });
});
