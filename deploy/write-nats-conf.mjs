/** Writes `deploy/nats.conf` from the tables of the code. Needs a build: `npm run build`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployedNatsConfig } from '#local-stack';

await writeFile(join(import.meta.dirname, 'nats.conf'), deployedNatsConfig());
