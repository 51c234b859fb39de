import { describe, it, expect } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  STORE_IMAGES,
  startNatsContainer,
  startPostgresContainer,
  type Testcontainers,
} from './container-stores.js';
import { repositoryRoot } from './repository-root.js';

/** Remembers what it is asked for, and starts as `start` has it. */
const library = (start: () => Promise<unknown>) => {
  const asked: (readonly [string, unknown])[] = [];
  function GenericContainer(image: string): object {
    asked.push(['image', image]);
    return new Proxy(
      {},
      {
        get: (_, name, self: unknown) =>
          name === 'start'
            ? start
            : (argument: unknown) => {
                asked.push([String(name), argument]);
                return self;
              },
      },
    );
  }
  const Wait = { forLogMessage: (message: RegExp, times = 1) => ({ message, times }) };
  return { asked, testcontainers: { GenericContainer, Wait } as unknown as Testcontainers };
};

const running = (port: number, stopped: string[]) => () =>
  Promise.resolve({
    getHost: () => 'engine',
    getMappedPort: (inside: number) => inside + port,
    stop: () => Promise.resolve(stopped.push('stopped')),
  });

const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-contained-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('stores in containers', () => {
  it('are the images of the deployment', () => {
    const file = readFileSync(join(repositoryRoot(), 'deploy', 'compose.yaml'), 'utf8');
    const { services } = parse(file, { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly image: string }>>;
    };
    expect([services['nats']?.image, services['postgres']?.image]).toEqual([
      STORE_IMAGES.nats,
      STORE_IMAGES.postgres,
    ]);
  });

  it('run a broker that keeps its streams, as the user who starts it', () =>
    inFolder(async (folder) => {
      const stopped: string[] = [];
      const { asked, testcontainers } = library(running(10_000, stopped));
      const store = await startNatsContainer(testcontainers, folder, []);
      expect([store.host, store.port]).toEqual(['engine', 14_222]);
      const request = new Map(asked);
      expect(request.get('image')).toBe(STORE_IMAGES.nats);
      expect(request.get('withBindMounts')).toEqual([
        { source: join(folder, 'container'), target: '/data' },
      ]);
      expect(request.get('withUser')).toBe(`${process.getuid?.()}:${process.getgid?.()}`);
      expect(JSON.stringify(request.get('withCopyContentToContainer'))).toContain(
        'sync_interval: always',
      );
      await store.stop();
      expect(stopped).toEqual(['stopped']);
    }));

  it('run a database whose address names the engine, with a password that is kept', () =>
    inFolder(async (folder) => {
      const { testcontainers } = library(running(20_000, []));
      const start = () => startPostgresContainer(testcontainers, folder, () => 'once');
      expect((await start()).databaseUrl).toBe('postgres://holdfast:once@engine:25432/holdfast');
      expect((await start()).databaseUrl).toContain(':once@');
    }));

  it('say what to do when no engine answers', () =>
    inFolder(async (folder) => {
      const { testcontainers } = library(() =>
        Promise.reject(new Error('Could not find a working container runtime strategy')),
      );
      await expect(startNatsContainer(testcontainers, folder, [])).rejects.toThrow(
        /working container runtime strategy\. Is Docker or Podman running, and does DOCKER_HOST name it\?/,
      );
    }));
});
