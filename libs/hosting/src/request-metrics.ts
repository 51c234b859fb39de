import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import { METRICS, type Metrics } from '#platform';
import { problemOf } from './problem-of.js';
import type { RequestContext } from './request-context.js';

/** Counts requests by what they came to, and how long they took. */
@Injectable()
export class RequestMetrics implements NestInterceptor {
  private readonly count;
  private readonly seconds;

  constructor(@Inject(METRICS) metrics: Metrics) {
    this.count = metrics.counter('requests_total', 'Requests by what they came to.', [
      'request',
      'outcome',
    ]);
    this.seconds = metrics.seconds('request_seconds', 'How long requests took.', ['request']);
  }

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { tokens } = execution.switchToRpc().getContext<RequestContext>();
    const request = tokens.slice(2, 4).join('.'); // Without the node that speaks: labels must stay few.
    const end = this.seconds.startTimer({ request });
    const note = (outcome: string): void => {
      end();
      this.count.inc({ request, outcome });
    };
    return next.handle().pipe(
      tap({
        complete: () => {
          note('ok');
        },
        error: (error: unknown) => {
          note(problemOf(error)?.code ?? 'internal');
        },
      }),
    );
  }
}
