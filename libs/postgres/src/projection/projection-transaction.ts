import type { Commit } from '#event-store';
import type { Database } from '../database.js';
import type { Sql } from '../sql.js';
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
  const move = async (sql: Sql): Promise<void> => {
    if (!(await moveCheckpoint(sql, from, last))) throw new SteppedDown(projection.name);
  };
  const writeAll = async (sql: Sql): Promise<number> => {
    await move(sql);
    return projection.write(wanted, sql);
  };
  const checkpoint = checkpointAt(from, last);
  if (wanted.length > 0)
    return {
      checkpoint,
      rows: await database.transaction(writeAll, { repeatOnConflict: true }),
    };
  await move(database.sql); // One statement is a transaction of its own.
  return { checkpoint, rows: 0 };
};
