import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  context,
  diag,
  trace,
  type Context,
  type Link,
  type Span,
  type Tracer as ApiTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import {
  codeOf,
  type OpenSpan,
  type RunningTracer,
  type SpanFacts,
  type SpanInfo,
  type TracedProcess,
} from './span.js';
import { formatTraceparent, parseTraceparent } from './traceparent.js';
import { unrecorded } from './unrecorded.js';

/** Bounds of a span: what is said is short, and a batch concerns at most so many commits. */
const SPAN_LIMITS = {
  attributeCountLimit: 32,
  attributeValueLengthLimit: 256,
  linkCountLimit: 64,
};
/** How often a receiver that is away is spoken of, ms. */
const SAY_AGAIN_MS = 60_000;

const KIND = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Spans by OpenTelemetry, sent to an OTLP receiver over HTTP. Sampler, address, headers, queue and pace are set by
 * OpenTelemetry's own variables. The queue is bounded (2,048 spans by default); what does not fit is dropped.
 */
export class OtelTracer implements RunningTracer {
  readonly isOn = true;

  private constructor(
    private readonly provider: NodeTracerProvider,
    private readonly tracer: ApiTracer,
  ) {}

  static start(
    { service, instance }: TracedProcess,
    onProblem: (problem: string) => void,
  ): OtelTracer {
    diag.setLogger(seldom(onProblem), {
      logLevel: DiagLogLevel.ERROR,
      suppressOverrideMessage: true,
    });
    const named = process.env['OTEL_SERVICE_NAME'];
    const resource = defaultResource().merge(
      resourceFromAttributes({
        'service.name': named === undefined || named === '' ? `holdfast-${service}` : named,
        'service.namespace': 'holdfast',
        'service.instance.id': instance,
      }),
    );
    const provider = new NodeTracerProvider({
      resource,
      spanLimits: SPAN_LIMITS,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    provider.register({ propagator: null });
    return new OtelTracer(provider, provider.getTracer('holdfast'));
  }

  open(info: SpanInfo): OpenSpan {
    const place = placeOf(info);
    return place === undefined ? unrecorded(info) : new RecordedSpan(this.begin(info, place));
  }

  async within<Result>(info: SpanInfo, work: (span: OpenSpan) => Promise<Result>): Promise<Result> {
    const place = placeOf(info);
    if (place === undefined) return work(unrecorded(info));
    const span = this.begin(info, place);
    const open = new RecordedSpan(span);
    try {
      return await context.with(trace.setSpan(place.in, span), () => work(open));
    } catch (error) {
      open.fail(codeOf(error));
      throw error;
    } finally {
      open.end();
    }
  }

  async shutdown(): Promise<void> {
    await this.provider.shutdown();
  }

  private begin(info: SpanInfo, place: Place): Span {
    const { name, kind = 'internal', facts = {}, startedAt } = info;
    const links = [...place.links, ...(info.links ?? []).flatMap(linkTo)];
    return this.tracer.startSpan(
      name,
      {
        kind: KIND[kind],
        attributes: facts,
        links,
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
      },
      place.in,
    );
  }
}

/** Where a span belongs. */
interface Place {
  readonly in: Context;
  readonly links: readonly Link[];
}

const placeOf = ({ parent, continues, begins }: SpanInfo): Place | undefined => {
  const here = context.active();
  const open = trace.getSpanContext(here);
  const given = remote(parent);
  if (given !== undefined) return { in: given, links: [] };
  const goesOn = parseTraceparent(continues);
  if (goesOn !== undefined && goesOn.traceId !== open?.traceId)
    return {
      in: remote(continues) ?? ROOT_CONTEXT,
      links: open === undefined ? [] : [{ context: open }],
    };
  if (open !== undefined) return { in: here, links: [] };
  return begins === true ? { in: ROOT_CONTEXT, links: [] } : undefined;
};

const remote = (traceparent: string | undefined): Context | undefined => {
  const [link] = traceparent === undefined ? [] : linkTo(traceparent);
  return link && trace.setSpanContext(ROOT_CONTEXT, link.context);
};

const linkTo = (traceparent: string): readonly Link[] => {
  const parsed = parseTraceparent(traceparent);
  if (parsed === undefined) return [];
  const { traceId, spanId, sampled } = parsed;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return [{ context: { traceId, spanId, traceFlags, isRemote: true } }];
};

class RecordedSpan implements OpenSpan {
  constructor(private readonly span: Span) {}

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return formatTraceparent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  note(facts: SpanFacts): void {
    this.span.setAttributes(facts);
  }

  fail(code: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.note({ 'error.type': code });
  }

  end(): void {
    this.span.end();
  }
}

/** What OpenTelemetry says of itself is not passed on: it may hold addresses, headers and bodies. */
const seldom = (onProblem: (problem: string) => void): Parameters<typeof diag.setLogger>[0] => {
  let quietUntilMs = 0;
  const silent = (): void => undefined;
  return {
    error: () => {
      if (performance.now() < quietUntilMs) return;
      quietUntilMs = performance.now() + SAY_AGAIN_MS;
      onProblem('spans are not received; they are dropped, and nothing else is affected');
    },
    warn: silent,
    info: silent,
    debug: silent,
    verbose: silent,
  };
};
