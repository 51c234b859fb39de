export * from './settings.js';
export type {
  FactName,
  OpenSpan,
  RunningTracer,
  SpanFacts,
  SpanInfo,
  TracedProcess,
  Tracer,
} from './span.js';
export { codeOf } from './span.js';
export * from './traceparent.js';
export * from './tracing.js';
