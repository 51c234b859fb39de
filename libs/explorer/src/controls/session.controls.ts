import type { SessionBounds, SessionProperty } from '../sessions/index.js';
import type { SessionRules, SessionShell } from '../sessions/index.js';

/** One rule taken out of the real ones, by a wrapper around them, and what that must break. */
export interface SessionControl {
  /** The rule, in words. */
  readonly rule: string;
  readonly breaks: SessionProperty;
  readonly bounds?: Partial<SessionBounds>;
  readonly shell?: Partial<SessionShell>;
  readonly without?: (rules: SessionRules) => Partial<SessionRules>;
}

type Decided = ReturnType<SessionRules['decideRun']>;

export const SESSION_CONTROLS: readonly SessionControl[] = [
  ...(['K1', 'K2', 'K3'] as const).map((breaks): SessionControl => ({
    rule: `what a writer appends to the session is under compare-and-set (${breaks})`,
    breaks,
    shell: { compareAndSet: false },
  })),
  {
    rule: 'a place is given away only after its holder was read and is over',
    breaks: 'K1',
    without: ({ decideSession }) => ({
      decideSession: (command, session) =>
        decideSession(
          command.type === 'QueueRun'
            ? { ...command, active: session.active, activeOver: true }
            : command,
          session,
        ),
    }),
  },
  {
    rule: 'after a run got its place in the order, the session is looked at',
    breaks: 'L1',
    shell: { looksAfterQueued: false },
  },
  {
    rule: 'after the place was given away, its new holder is looked at: it may have been stopped in the queue',
    breaks: 'L1',
    shell: { looksAfterAdvanced: false },
  },
  {
    rule: 'after a run is over, its session is looked at',
    breaks: 'L1',
    shell: { looksAfterSettled: false },
  },
  {
    rule: 'what is looked at after a commit is read from the leader',
    breaks: 'L1',
    shell: { readsFromLeader: false },
  },
  {
    rule: 'a saga makes the second commit of whoever died before it',
    breaks: 'L1',
    shell: { sagaMakesSecondCommit: false },
  },
  {
    rule: 'an unknown run holds its place until it is fenced',
    breaks: 'K1',
    without: ({ isOver }) => ({
      isOver: (run) => isOver(run) || run.status === 'unknown',
    }),
  },
  {
    rule: 'after the fence nothing brings a run back: it is seen running',
    breaks: 'K1',
    without: withoutFence(['ReportRunning']),
  },
  {
    rule: 'after the fence nothing brings a run back: its attempt ended',
    breaks: 'K1',
    bounds: { attempts: 'resumable', generations: 2 },
    without: withoutFence(['ReportEnd']),
  },
];

/** As if the run had never been fenced, for these reports. */
function withoutFence(types: readonly string[]): NonNullable<SessionControl['without']> {
  return ({ decideRun }) => ({
    decideRun: (command, run): Decided =>
      types.includes(command.type) && run.status === 'unknown' && run.unknown !== null
        ? decideRun(command, { ...run, unknown: { ...run.unknown, fenced: false } })
        : decideRun(command, run),
  });
}
