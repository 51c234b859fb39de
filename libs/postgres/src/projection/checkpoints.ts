import type { Commit } from '#event-store';
import type { Epoch } from '#kernel';
import type { Sql } from '../sql.js';

/** The tables that are read. */
export const LIVE_GENERATION = '1';
/** Those that are made beside them, until they take their place. */
export const BUILDING_GENERATION = 'building';

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
  await beginCheckpoint(sql, { name, generation: LIVE_GENERATION, epoch });
  const checkpoint = await findCheckpoint(sql, name);
  if (checkpoint === undefined) throw new Error(`the checkpoint of ${name} was removed just now`);
  return checkpoint;
};

/** Puts a checkpoint at the beginning of the stream. @returns false when it is there already, wherever it is. */
export const beginCheckpoint = async (
  sql: Sql,
  { name, generation, epoch }: Pick<Checkpoint, 'name' | 'generation' | 'epoch'>,
): Promise<boolean> => {
  const made = await sql.execute(
    `INSERT INTO projection_checkpoint (${COLUMNS}, updated_at) VALUES ($1, $2, $3, 0, '', now())
     ON CONFLICT (name, generation) DO NOTHING`,
    [name, generation, epoch],
  );
  return made === 1;
};

export const findCheckpoint = async (
  sql: Sql,
  name: string,
  generation: string = LIVE_GENERATION,
): Promise<Checkpoint | undefined> => {
  const [checkpoint] = await sql.query<Checkpoint>(
    `SELECT ${COLUMNS} FROM projection_checkpoint WHERE name = $1 AND generation = $2`,
    [name, generation],
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

/**
 * Makes the checkpoint of what was built the live one, in the place of one that is still at the beginning.
 *
 * @returns false when either of them is elsewhere: another process was here.
 */
export const promoteCheckpoint = async (sql: Sql, built: Checkpoint): Promise<boolean> => {
  const removed = await sql.execute(
    `DELETE FROM projection_checkpoint
     WHERE name = $1 AND generation = $2 AND epoch = $3 AND sequence = 0`,
    [built.name, LIVE_GENERATION, built.epoch],
  );
  if (removed === 0) return false;
  const promoted = await sql.execute(
    `UPDATE projection_checkpoint SET generation = $6, updated_at = now()
     WHERE name = $1 AND generation = $2 AND epoch = $3 AND sequence = $4 AND hash = $5`,
    [built.name, built.generation, built.epoch, built.sequence, built.hash, LIVE_GENERATION],
  );
  return promoted === 1;
};

/** Writes down why the projection was stopped, for people who ask the query service. */
export const recordFinding = async (sql: Sql, at: Checkpoint, finding: string): Promise<void> => {
  await sql.execute('UPDATE projection_checkpoint SET finding = $2 WHERE name = $1', [
    at.name,
    finding,
  ]);
};

/** Forgets the checkpoint, and that of tables which are being built: the first half of a rebuild. */
export const removeCheckpoint = async (sql: Sql, name: string): Promise<void> => {
  await sql.execute('DELETE FROM projection_checkpoint WHERE name = $1', [name]);
};

/** Forgets how far a build has come: the next one starts anew. */
export const removeBuildingCheckpoint = async (sql: Sql, name: string): Promise<void> => {
  await sql.execute('DELETE FROM projection_checkpoint WHERE name = $1 AND generation = $2', [
    name,
    BUILDING_GENERATION,
  ]);
};
