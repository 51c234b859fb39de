import type { GatewayCode } from './problem.table.js';

/** One field that is wrong. */
export interface FieldProblem {
  readonly path: string;
  readonly problem: string;
}

/** What a refusal carries beside its code. */
export interface RefusalExtras {
  readonly errors?: readonly FieldProblem[];
  /** Response headers, such as `Allow` and `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The gateway refuses a request by itself; the filter turns it into `application/problem+json`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly errors: readonly FieldProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    readonly code: GatewayCode,
    /** A sentence for the person who sent the request. Shown as it is: nothing secret. */
    readonly detail: string,
    extras: RefusalExtras = {},
  ) {
    super(detail, 'cause' in extras ? { cause: extras.cause } : {});
    this.errors = extras.errors;
    this.headers = extras.headers ?? {};
  }
}

/** A refusal in the words of the wire. */
interface WireProblem {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: unknown;
}

/** A rule of the services was broken. Its code is stable, its message is for people. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  constructor(
    readonly code: string,
    readonly detail: string,
    readonly retryable: boolean,
    readonly errors: readonly FieldProblem[] | undefined,
  ) {
    super(detail);
  }

  static of({ code, message, retryable, details }: WireProblem): ServiceRefusal {
    return new ServiceRefusal(code, message, retryable, fieldProblems(details));
  }
}

/** Only which fields are wrong is shown; other details stay inside. */
const fieldProblems = (details: unknown): readonly FieldProblem[] | undefined => {
  if (typeof details !== 'object' || details === null || !('errors' in details)) return undefined;
  if (!Array.isArray(details.errors)) return undefined;
  return details.errors.filter(isFieldProblem).map(({ path, problem }) => ({ path, problem }));
};

const isFieldProblem = (value: unknown): value is FieldProblem =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  'problem' in value &&
  typeof value.problem === 'string';
