import type { Instant } from '#kernel';

/**
 * What a span may say, and nothing else: names, counts and codes. What people ask of agents, what agents answer, and what
 * lets anybody in has no name here, so that it can't be exported by mistake. Neither has the text of an error.
 */
export type FactName =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  /** A code of ours, or the name of an error's class. */
  | 'error.type'
  | `holdfast.${
      | 'request'
      | 'command'
      | 'events'
      | 'aggregate'
      | 'id'
      | 'workspace'
      | 'node'
      | 'agent'
      | 'generation'
      | 'revision'
      | 'saga'
      | 'step'
      | 'question'
      | 'outcome'
      | 'projection'
      | 'commits'
      | 'rows'}`
  /** How often this was tried, from 1: a second try says that it is one. */
  | 'holdfast.attempt'
  /** The broker delivered it before: what is done now may have been done, in part or in whole. */
  | 'holdfast.redelivered'
  /** It had been written before, by an earlier try: nothing was written now. */
  | 'holdfast.repeated';
export type SpanFacts = Readonly<Partial<Record<FactName, string | number | boolean>>>;

/** A piece of work, as a trace shows it. */
export interface SpanInfo {
  /** Few different ones: no ids. */
  readonly name: string;
  /** Default `internal`. */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly facts?: SpanFacts;
  /** The trace context of what led here, where it came with a message: the span is its child. */
  readonly parent?: string | undefined;
  /**
   * The trace context of what this work goes on from. Within an open span of that trace it is a part of it. Elsewhere it goes
   * on where the context says, and links whatever is open: what wakes a thing is not always what the thing is about.
   */
  readonly continues?: string | undefined;
  /** Trace contexts of other work that this one concerns. */
  readonly links?: readonly string[];
  /** A trace begins here where there is none. Without it work that belongs to no trace leaves no span. */
  readonly begins?: boolean;
  /** When it began, if not now. */
  readonly startedAt?: Instant;
}

/** A span that is not ended. */
export interface OpenSpan {
  /** What to hand on to whatever this work sets in motion. While nothing is recorded, what the work itself was given. */
  readonly traceparent: string | undefined;
  note(facts: SpanFacts): void;
  /** @param code of ours, or the name of an error's class; no text of an error. */
  fail(code: string): void;
  end(): void;
}

/** Makes spans. */
export interface Tracer {
  /** Whether spans go anywhere. Only for what is costly to prepare: all else works the same when it is off. */
  readonly isOn: boolean;
  /** The caller ends it. */
  open(info: SpanInfo): OpenSpan;
  /** Spans that the work opens are a part of this one. What the work throws is passed on, and its code is noted. */
  within<Result>(info: SpanInfo, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
}

/** Who speaks, in every span of a process. */
export interface TracedProcess {
  /** The service's name, such as `sagas`. */
  readonly service: string;
  /** Tells replicas apart. */
  readonly instance: string;
}

/** A tracer that holds something to give up. */
export interface RunningTracer extends Tracer {
  /** Sends what is left. May take as long as the receiver likes, and may reject. */
  shutdown(): Promise<void>;
}

/** The code that an error carries, else the name of its class: never its text, which may hold anything. */
export const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : error.name.slice(0, 64);
};
