import { afterAll, beforeAll, describe, it, expect } from '@jest/globals';
import { tokenHash } from '#platform';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from './process-identity.js';
import { RawNats } from './raw-nats.fixture.js';
import type { LocalStack } from './local-stack.js';
import { startLocalStack } from './local-stack.js';
import { NATS_ADMIN } from './stores.js';

let folder: string;
let home: string;
let stack: LocalStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-stack-'));
  home = join(folder, 'home');
  stack = await startLocalStack({ home, services: 'none' });
});

afterAll(async () => {
  await stack.destroy();
  await rm(folder, { recursive: true, force: true });
});

const modeOf = async (...path: string[]): Promise<number> =>
  (await stat(join(home, ...path))).mode & 0o777;

describe('a local stack', () => {
  it('writes the number of each process where scripts look for it', () => {
    const written = ['nats-server', 'postgres'].map((name) => [
      name,
      Number(readFileSync(join(home, 'run', `${name}.pid`), 'utf8')),
    ]);
    expect(Object.fromEntries(written)).toEqual(stack.pids());
    for (const pid of Object.values(stack.pids())) expect(identityOf(pid)).toBeDefined();
  });

  it('keeps its secrets from everybody else', async () => {
    expect(await modeOf()).toBe(0o700);
    for (const file of [
      'secret.key',
      'operator.token',
      'agent.token',
      'bootstrap-tokens.json',
      'nats/nats.conf',
      'nats/passwords.json',
      'postgres/password',
    ]) {
      expect([file, await modeOf(file)]).toEqual([file, 0o600]);
    }
  });

  it('tells commands the hashes of its tokens, never the tokens', async () => {
    const text = await readFile(join(home, 'bootstrap-tokens.json'), 'utf8');
    expect(text).not.toContain(stack.operatorToken);
    expect(text).not.toContain(stack.agentToken);
    expect(JSON.parse(text)).toEqual([
      {
        tokenHash: tokenHash(stack.operatorToken),
        principal: 'user:operator',
        role: 'operator',
        workspace: 'main',
      },
      {
        tokenHash: tokenHash(stack.agentToken),
        principal: 'agent:local',
        role: 'agent',
        workspace: 'main',
      },
    ]);
    expect((await readFile(join(home, 'secret.key'), 'utf8')).trim()).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives each service a user of its own on the broker, and only administrators everything', async () => {
    const answerTo = async (url: string): Promise<string> => {
      const raw = await RawNats.open(url);
      const answer = await raw.request('$JS.API.STREAM.NAMES', '');
      raw.close();
      return answer;
    };
    expect(await answerTo(stack.natsUrlFor(NATS_ADMIN))).toContain('"streams"');
    for (const user of ['gateway', { node: 'local', workspace: 'main' }] as const) {
      expect(await answerTo(stack.natsUrlFor(user))).toContain('Permissions Violation');
    }
    expect(() => stack.natsUrlFor({ node: 'other', workspace: 'main' })).toThrow('node.main.other');
  });

  it('refuses a second one on the same home, and leaves the first one alone', async () => {
    const before = stack.pids();
    await expect(startLocalStack({ home, services: 'none' })).rejects.toThrow(
      `already running in ${home}`,
    );
    expect(stack.pids()).toEqual(before);
  });

  it('keeps its secrets and passwords over a stop, and takes its pid files back', async () => {
    const { operatorToken, databaseUrl } = stack;
    await stack.stop();
    expect(existsSync(join(home, 'run', 'postgres.pid'))).toBe(false);
    stack = await startLocalStack({ home, services: 'none' });
    expect(stack.operatorToken).toBe(operatorToken);
    expect(new URL(stack.databaseUrl).password).toBe(new URL(databaseUrl).password);
  });

  it('uses servers of your own instead of embedded ones', async () => {
    const other = await startLocalStack({
      home: join(folder, 'other'),
      services: 'none',
      natsUrl: stack.natsUrlFor(NATS_ADMIN),
      databaseUrl: stack.databaseUrl,
    });
    expect(other.pids()).toEqual({});
    expect(other.natsUrlFor('commands')).toBe(stack.natsUrlFor(NATS_ADMIN));
    await other.destroy();
  });

  it('says which port is taken, and what to set', async () => {
    const server: Server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const second = startLocalStack({ home: join(folder, 'taken'), port, services: 'none' });
    await expect(second).rejects.toThrow(
      new RegExp(`Port ${port} is taken by another program.*HOLDFAST_PORT`),
    );
    server.close();
    expect(existsSync(join(folder, 'taken', 'run', 'supervisor.lock'))).toBe(false);
  });
});
