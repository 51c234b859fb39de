import { execFile } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import pg from 'pg';
import { natsServerBinary } from '#local-stack';
import type { Fixture } from '../support/fixture.js';
import type { Environment } from './report.js';

const run = promisify(execFile);
const CHECKOUT = new URL('../../', import.meta.url).pathname;

const git = async (...args: readonly string[]): Promise<string> =>
  (await run('git', ['-C', CHECKOUT, ...args])).stdout.trim();

/** What the checkout is, before anything is written into it. */
export const checkoutOf = async (): Promise<Pick<Environment, 'commit' | 'dirty'>> => ({
  commit: await git('rev-parse', 'HEAD'),
  dirty: (await git('status', '--porcelain')) !== '',
});

export const machineOf = (): string => {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${type()} ${release()}`;
};

/** Versions and durability, as the running system says them. */
export const systemOf = async (
  fixture: Fixture,
): Promise<Pick<Environment, 'versions' | 'durability'>> => {
  const database = new pg.Client({ connectionString: fixture.stack.databaseUrl });
  await database.connect();
  try {
    const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
    const readiness = (await (await fetch(`${fixture.stack.url}/readyz`)).json()) as {
      readonly durability: { readonly explanation: string } | null;
    };
    return {
      versions: {
        'Node.js': process.versions.node,
        'nats-server': (await natsServerBinary()).version,
        Postgres: rows[0]?.server_version ?? 'not said',
      },
      durability: readiness.durability?.explanation ?? 'not known',
    };
  } finally {
    await database.end();
  }
};
