import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptSecret, makePrivateFolder, readIfPresent, writePrivateFile } from './private-files.js';

/** What a stack keeps to itself. Every file has mode 600, in a home of mode 700. */
export interface StackSecrets {
  /** Signs in a person who may do everything. */
  readonly operatorToken: string;
  /** Signs in agents, which may submit, stop and read. */
  readonly agentToken: string;
  /** Keys of workspaces are derived from what it holds. */
  readonly secretFile: string;
  /** Tells `commands` which tokens are valid from the start: by their hashes. */
  readonly bootstrapFile: string;
}

/** As much as SHA-256 can make use of. */
const SECRET_BYTES = 32;

/**
 * Makes the secrets of a home, once; later starts find them.
 *
 * @throws Error when a file in their place cannot be read.
 */
export const stackSecrets = async (home: string): Promise<StackSecrets> => {
  await makePrivateFolder(home);
  const secretFile = join(home, 'secret.key');
  await keptSecret(secretFile, () => randomBytes(SECRET_BYTES).toString('hex'));
  const operatorToken = await keptSecret(join(home, 'operator.token'), newToken);
  const agentToken = await keptSecret(join(home, 'agent.token'), newToken);
  const bootstrapFile = join(home, 'bootstrap-tokens.json');
  const bootstrap = [
    { token: operatorToken, principal: 'user:operator', role: 'operator' },
    { token: agentToken, principal: 'agent:local', role: 'agent' },
  ].map(({ token, ...who }) => ({ tokenHash: hashOf(token), ...who, workspace: 'main' }));
  await writePrivateFile(bootstrapFile, `${JSON.stringify(bootstrap, undefined, 2)}\n`);
  return { operatorToken, agentToken, secretFile, bootstrapFile };
};

const newToken = (): string => `hf_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** What is kept instead of a token: SHA-256, hex. */
const hashOf = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');

/**
 * The passwords of the broker's users, by name: made once, kept in `<home>/nats/passwords.json`.
 * A user that is new since then gets one; the others keep theirs.
 */
export const natsPasswords = async (
  folder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const file = join(folder, 'passwords.json');
  const kept = JSON.parse((await readIfPresent(file)) ?? '{}') as Readonly<Record<string, string>>;
  const all = new Map(Object.entries(kept));
  for (const name of names) {
    if (!all.has(name)) all.set(name, randomBytes(SECRET_BYTES).toString('hex'));
  }
  await writePrivateFile(file, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
  return new Map([...all].filter(([name]) => names.includes(name)));
};

/** What the servers of a cluster share: its id, which is part of their names, and the password of their routes. Made once. */
export const clusterSecrets = async (
  folder: string,
): Promise<{ readonly id: string; readonly password: string }> => ({
  id: await keptSecret(join(folder, 'cluster.id'), () => randomBytes(4).toString('hex')),
  password: await keptSecret(join(folder, 'route.password'), () =>
    randomBytes(SECRET_BYTES).toString('hex'),
  ),
});
