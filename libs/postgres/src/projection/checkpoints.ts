import type { Commit } from '#event-store';
import type { Epoch } from '#kernel';
import type { Sql } from '../sql.js';

/** The one generation of tables that there is until a rebuild fills another one. */
export const LIVE_GENERATION = '1';

/** How far a projection has come: the fence of its writer, and what a restored stream is compared with. */
export interface Checkpoint {
  readonly name: string;
  readonly generation: string;
  readonly epoch: Epoch;
  /** 0 = nothing is contained. */
  readonly sequence: number;
  /** Of the commit at `sequence`; empty at 0. */
  readonly hash: string;
}

const COLUMNS = 'name, generation, epoch, sequence, hash';

/** The checkpoint, made at the beginning of the stream when there is none. */
export const openCheckpoint = async (sql: Sql, name: string, epoch: Epoch): Promise<Checkpoint> => {
  await sql.execute(
    `INSERT INTO projection_checkpoint (${COLUMNS}, updated_at) VALUES ($1, $2, $3, 0, '', now())
     ON CONFLICT (name, generation) DO NOTHING`,
    [name, LIVE_GENERATION, epoch],
  );
  const checkpoint = await findCheckpoint(sql, name);
  if (checkpoint === undefined) throw new Error(`the checkpoint of ${name} was removed just now`);
  return checkpoint;
};

export const findCheckpoint = async (sql: Sql, name: string): Promise<Checkpoint | undefined> => {
  const [checkpoint] = await sql.query<Checkpoint>(
    `SELECT ${COLUMNS} FROM projection_checkpoint WHERE name = $1 AND generation = $2`,
    [name, LIVE_GENERATION],
  );
  return checkpoint;
};

/** The checkpoint after a commit. */
export const checkpointAt = (from: Checkpoint, { revision, bodyHash }: Commit): Checkpoint => ({
  ...from,
  sequence: revision,
  hash: bodyHash,
});

/**
 * Moves the checkpoint within the caller's transaction, and locks it until that ends.
 *
 * @returns false when it is no longer where the caller started from: another process was here.
 */
export const moveCheckpoint = async (sql: Sql, from: Checkpoint, to: Commit): Promise<boolean> => {
  const moved = await sql.execute(
    `UPDATE projection_checkpoint
     SET sequence = $5, hash = $6, stored_at = $7, finding = NULL, updated_at = now()
     WHERE name = $1 AND generation = $2 AND epoch = $3 AND sequence = $4 AND hash = $8`,
    [
      from.name,
      from.generation,
      from.epoch,
      from.sequence,
      to.revision,
      to.bodyHash,
      new Date(to.storedAt),
      from.hash,
    ],
  );
  return moved === 1;
};

/** Writes down why the projection was stopped, for people who ask the query service. */
export const recordFinding = async (sql: Sql, at: Checkpoint, finding: string): Promise<void> => {
  await sql.execute(
    'UPDATE projection_checkpoint SET finding = $3 WHERE name = $1 AND generation = $2',
    [at.name, at.generation, finding],
  );
};

/** Forgets the checkpoint: together with the rows, the first half of a rebuild. */
export const removeCheckpoint = async (sql: Sql, name: string): Promise<void> => {
  await sql.execute('DELETE FROM projection_checkpoint WHERE name = $1 AND generation = $2', [
    name,
    LIVE_GENERATION,
  ]);
};
