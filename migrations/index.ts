import { CreateReadModels1764400000000 } from './1764400000000-create-read-models.js';
import { AddSpawns1764500000000 } from './1764500000000-add-spawns.js';

/** Every migration, oldest first. What was released is never changed: a change is another migration. */
export const MIGRATIONS = [CreateReadModels1764400000000, AddSpawns1764500000000] as const;
