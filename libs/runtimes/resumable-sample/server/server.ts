/**
 * The sample runtime as a program: `node server.js '<options>'`, with {@link ServerOptions} as JSON. Says `ready` when it listens.
 */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { validateBehaviours } from '../behaviours.js';
import { apiOf } from './http-api.js';
import { Ledger } from './ledger.js';
import { SampleRuntime } from './sample-runtime.js';
import { ThreadStore } from './thread-store.js';
import type { ServerOptions } from './server-options.js';

const options = JSON.parse(process.argv[2] ?? '{}') as ServerOptions;
const behaviours = validateBehaviours(options.behaviours ?? {});
if (!behaviours.ok) throw new Error(`behaviours: ${behaviours.problems.join('; ')}`);

mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
const runtime = new SampleRuntime(
  new ThreadStore(options.dataDir),
  new Ledger(options.ledger ?? join(options.dataDir, 'ledger.jsonl')),
  behaviours.config,
);

/** A socket file whose server was killed is in the way; one that answers is not ours to remove. */
const isServed = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
if (await isServed(options.socket)) throw new Error(`${options.socket} is served already`);
await rm(options.socket, { force: true });

const server = apiOf(runtime);
server.listen(options.socket, () => process.stdout.write('ready\n'));

if (options.exitWithStdin === true) {
  // As a runtime that is spoken to by pipe: its client's death is the end of its input. Turns end as the behaviours say.
  process.stdin.resume().once('end', () => {
    server.close();
    server.closeIdleConnections();
    void runtime.idle().then(() => process.exit(0));
  });
}

// As a real runtime does: its turns are interrupted in order, and say so.
process.once('SIGTERM', () => {
  runtime.interruptAll();
  void runtime.idle().then(() => process.exit(0));
});
