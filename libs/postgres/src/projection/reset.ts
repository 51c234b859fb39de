import type { Database } from '../database.js';
import { removeCheckpoint } from './checkpoints.js';
import type { Projection } from './projection.js';

/**
 * Removes a projection's rows and its checkpoint in one transaction: whoever writes it steps down, and starts again at
 * the beginning of the stream. Rebuilding sends nothing, since a projection only writes rows.
 */
export const resetProjection = async (database: Database, projection: Projection): Promise<void> =>
  database.transaction(
    async (sql) => {
      await removeCheckpoint(sql, projection.name);
      await projection.clear(sql);
    },
    { repeatOnConflict: true },
  );
