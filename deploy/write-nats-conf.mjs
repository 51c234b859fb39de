/** Writes `deploy/nats.conf` and `deploy/nats-cluster.conf` from the tables of the code. Needs a build: `npm run build`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployedClusterConfig, deployedNatsConfig } from '#local-stack';

await writeFile(join(import.meta.dirname, 'nats.conf'), deployedNatsConfig());
await writeFile(join(import.meta.dirname, 'nats-cluster.conf'), deployedClusterConfig());
