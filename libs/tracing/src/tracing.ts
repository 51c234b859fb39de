import type { TracingSettings } from './settings.js';
import type { OpenSpan, RunningTracer, SpanInfo, TracedProcess, Tracer } from './span.js';
import { OFF } from './unrecorded.js';

/** What is not sent by then is dropped, ms. Source: a tenth of the bound for a process to end. */
const SHUTDOWN_MAX_MS = 1_000;

/**
 * The process's tracer. One for all of it, as a log has one standard output: where a span belongs is known by what is being
 * done, not by who was told about tracing.
 */
class ProcessTracing implements Tracer {
  #tracer: Tracer = OFF;
  #running: RunningTracer | undefined;

  get isOn(): boolean {
    return this.#tracer.isOn;
  }

  open(info: SpanInfo): OpenSpan {
    return this.#tracer.open(info);
  }

  within<Result>(info: SpanInfo, work: (span: OpenSpan) => Promise<Result>): Promise<Result> {
    return this.#tracer.within(info, work);
  }

  /**
   * Loads OpenTelemetry where it is asked for; without that nothing of it is ever loaded.
   *
   * @param onProblem told, seldom, that spans are not received. Nothing else follows from it.
   */
  async start(
    settings: TracingSettings,
    about: TracedProcess,
    onProblem: (problem: string) => void,
  ): Promise<void> {
    if (settings.kind === 'off') {
      if (settings.because !== undefined) onProblem(`tracing is off: ${settings.because}`);
      return;
    }
    const { OtelTracer } = await import('./otel.tracer.js');
    this.use(OtelTracer.start(about, onProblem));
  }

  /** For tests: a tracer of their own. */
  use(tracer: RunningTracer): void {
    this.#running = tracer;
    this.#tracer = tracer;
  }

  /** Sends what is left, for at most a second; never rejects. From then on tracing is off. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#tracer = OFF;
    this.#running = undefined;
    if (running === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_MAX_MS);
    });
    // eslint-disable-next-line holdfast/no-silent-catch -- that nobody receives was told of before, and holds nobody up.
    const sent = running.shutdown().catch(() => undefined);
    await Promise.race([sent, late]);
    clearTimeout(timer);
  }
}

export const tracing = new ProcessTracing();
