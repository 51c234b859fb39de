import type { OpenSpan, SpanInfo, Tracer } from './span.js';

/** A span that nobody records; it hands on what it was given. */
export class UnrecordedSpan implements OpenSpan {
  constructor(readonly traceparent: string | undefined) {}

  note(): void {
    // Nobody reads it.
  }

  fail(): void {
    // Nobody reads it.
  }

  end(): void {
    // It was never begun.
  }
}

const NO_SPAN = new UnrecordedSpan(undefined);

export const unrecorded = ({ parent, continues }: SpanInfo): OpenSpan => {
  const given = parent ?? continues;
  return given === undefined ? NO_SPAN : new UnrecordedSpan(given);
};

/** Tracing is off: no span is made, and a trace context that somebody gave is handed on as it is. */
export const OFF: Tracer = {
  isOn: false,
  open: unrecorded,
  within: (info, work) => work(unrecorded(info)),
};
