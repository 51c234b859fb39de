import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { OsUser } from './child-process.js';

const run = promisify(execFile);

/** In order of preference. The first belongs to Postgres anyway, the second to nobody. */
const UNPRIVILEGED = ['postgres', 'nobody'] as const;

/**
 * Who Postgres runs as: ourselves, or, since it refuses to run as root, another user of this
 * machine. A bare number would not do: initdb wants a name.
 *
 * @returns `undefined` when it can run as ourselves.
 * @throws Error when we are root and there is no such user.
 */
export const userForPostgres = async (): Promise<OsUser | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of UNPRIVILEGED) {
    const user = await userCalled(name);
    if (user !== undefined) return user;
  }
  throw new Error(
    `Postgres does not run as root, and this machine has no user ${UNPRIVILEGED.join(' or ')} to run it as. ` +
      'Start Holdfast as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
};

const userCalled = async (name: string): Promise<OsUser | undefined> => {
  try {
    const uid = await run('id', ['-u', name]);
    const gid = await run('id', ['-g', name]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch (cause) {
    if ((cause as { readonly code?: number }).code === 1) return undefined; // No such user.
    throw cause;
  }
};
