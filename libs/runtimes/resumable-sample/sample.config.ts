import { ConfigCheck, type Validated } from '#runtimes';
import { validateBehaviours, type Behaviours } from './behaviours.js';

/** An agent on the sample runtime: `socket` of a server that runs on its own, or `dataDir` for one that each attempt starts. */
export interface SampleConfig {
  readonly server:
    | { readonly kind: 'shared'; readonly socket: string }
    | {
        readonly kind: 'own';
        readonly dataDir: string;
        readonly behaviours: Partial<Behaviours>;
      };
  /** Whether the runtime finds turns by our key; has to agree with its behaviour of that name. */
  readonly readBackByKey: boolean;
  /** How long an unreachable runtime is waited for. Unit: milliseconds. */
  readonly connectMaxMs: number;
  /** How often a turn that another process works on is looked at. Unit: milliseconds. */
  readonly pollMs: number;
  /** Unit: milliseconds, from `go`. Without it there is no limit. */
  readonly timeLimitMs?: number;
}

const CONNECT_MAX_MS: readonly [number, number] = [100, 600_000];
const POLL_MS: readonly [number, number] = [10, 10_000];
const TIME_LIMIT_MS: readonly [number, number] = [100, 604_800_000];

export const validateSampleConfig = (raw: unknown): Validated<SampleConfig> => {
  const check = new ConfigCheck(raw);
  const socket = check.absolutePath('socket');
  const dataDir = check.absolutePath('dataDir');
  check.refuseIf(
    (socket === undefined) === (dataDir === undefined),
    'needs either socket or dataDir',
  );
  const behaviours = check.take('behaviours') ?? {};
  const checkedBehaviours = validateBehaviours(behaviours);
  if (!checkedBehaviours.ok)
    check.problems.push(...checkedBehaviours.problems.map((problem) => `behaviours.${problem}`));
  check.refuseIf(
    socket !== undefined && Object.keys(behaviours).length > 0,
    'behaviours: are the server’s own when it is shared',
  );
  const readBackByKey = check.oneOf('readBackByKey', ['yes', 'no']) ?? 'yes';
  const connectMaxMs = check.integer('connectMaxMs', CONNECT_MAX_MS) ?? 10_000;
  const pollMs = check.integer('pollMs', POLL_MS) ?? 100;
  const timeLimitMs = check.integer('timeLimitMs', TIME_LIMIT_MS);
  return check.finish(() => ({
    server:
      socket !== undefined
        ? { kind: 'shared', socket }
        : { kind: 'own', dataDir: dataDir ?? '', behaviours },
    readBackByKey: readBackByKey === 'yes',
    connectMaxMs,
    pollMs,
    ...(timeLimitMs !== undefined && { timeLimitMs }),
  }));
};
