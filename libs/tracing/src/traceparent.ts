/** W3C Trace Context, version 00; an all-zero trace or parent means "none". */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What a `traceparent` says. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether whoever wrote it records its part of the trace. */
  readonly sampled: boolean;
}

/** Undefined for what can't be read: a bad trace is no reason to refuse a request. */
export const parseTraceparent = (text: string | undefined): TraceContext | undefined => {
  const match = text === undefined ? null : TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${sampled ? '1' : '0'}`;
