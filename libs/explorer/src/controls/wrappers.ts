import type { RunCommand, RunEvent, RunState } from '#runs/domain';
import type { RunRules } from '../runs/index.js';

type Existing = Exclude<RunState, { status: 'none' }>;
type CommandOf<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>;
type Decide = RunRules['decideRun'];

/** `decideRun` with one kind of command decided otherwise; the real one does the deciding. */
export const deciding =
  <Type extends RunCommand['type']>(
    types: readonly Type[],
    otherwise: (command: CommandOf<Type>, run: Existing, decide: Decide) => readonly RunEvent[],
  ) =>
  ({ decideRun }: RunRules): Pick<RunRules, 'decideRun'> => ({
    decideRun: (command, run) =>
      run.status !== 'none' && isOf(types, command)
        ? otherwise(command, run, decideRun)
        : decideRun(command, run),
  });

const isOf = <Type extends RunCommand['type']>(
  types: readonly Type[],
  command: RunCommand,
): command is CommandOf<Type> => (types as readonly string[]).includes(command.type);

/** Several wrappers, one around the other. */
export const both =
  (...wrappers: readonly ((rules: RunRules) => Partial<RunRules>)[]) =>
  (rules: RunRules): Partial<RunRules> =>
    wrappers.reduce<RunRules>((wrapped, wrap) => ({ ...wrapped, ...wrap(wrapped) }), rules);

/** As if it had just been dispatched, to the journal that speaks: nothing is left that could refuse a claim. */
export const unclaimed = (
  run: Existing,
  { generation, journalId }: { readonly generation: number; readonly journalId: string },
): Existing => ({
  ...run,
  status: 'dispatched',
  generation,
  claim: null,
  dispatch: run.dispatch && { ...run.dispatch, journalId },
});

export const REPORTS = ['ReportEnd', 'ReportNotStarted', 'ReportRunning'] as const;
