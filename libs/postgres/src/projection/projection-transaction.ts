import type { Commit } from '#event-store';
import type { Database } from '../database.js';
import { checkpointAt, moveCheckpoint, type Checkpoint } from './checkpoints.js';
import { SteppedDown, type Projection } from './projection.js';

export interface ProjectedBatch {
  readonly checkpoint: Checkpoint;
  readonly rows: number;
}

/**
 * Writes the rows of a batch and the checkpoint behind it in one transaction.
 *
 * The checkpoint moves first: a second process that works on the same projection waits there, finds it moved, and
 * steps down before it has written anything.
 *
 * @param commits at least one, in stream order, all of them after `from`.
 * @throws SteppedDown another process moved the checkpoint. Nothing was written.
 */
export const projectBatch = async (
  database: Database,
  projection: Projection,
  from: Checkpoint,
  commits: readonly Commit[],
): Promise<ProjectedBatch> => {
  const last = commits[commits.length - 1];
  if (last === undefined) return { checkpoint: from, rows: 0 };
  const wanted = commits.filter(({ ref }) => projection.aggregates.includes(ref.aggregate));
  const rows = await database.transaction(
    async (sql) => {
      if (!(await moveCheckpoint(sql, from, last))) throw new SteppedDown(projection.name);
      return wanted.length === 0 ? 0 : projection.write(wanted, sql);
    },
    { repeatOnConflict: true },
  );
  return { checkpoint: checkpointAt(from, last), rows };
};
