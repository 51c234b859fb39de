import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { shortId, splitAtIds } from '../data/words.js';

/** One line on where a run stands: what it waits for, why it is not known, or how it ended. */
export const Story = ({ run }: { readonly run: RunView }): ReactNode => (
  <>
    {splitAtIds(storyOf(run)).map((piece, index) =>
      index % 2 === 0 ? (
        piece
      ) : (
        <Link key={index} href={`/runs/${piece}`} title={piece}>
          <code>{shortId(piece)}</code>
        </Link>
      ),
    )}
  </>
);

export const storyOf = (run: RunView): string => {
  if (run.unknown !== null) return run.unknown.reason;
  if (run.waitsFor !== null) return waitsWords(run);
  const settled = run.settledBy === null ? [] : [`settled by ${run.settledBy}`];
  const code = run.code === null ? [] : [run.code];
  const exit = run.exitCode === null || run.exitCode === 0 ? [] : [`exit code ${run.exitCode}`];
  return [...code, ...exit, ...settled].join(', ');
};

/** What an open run waits for. */
export const waitsWords = ({ waitsFor }: RunView): string =>
  waitsFor === null ? '' : `waits for ${waitsFor}`;
