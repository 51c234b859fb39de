import { afterAll, afterEach, beforeAll, describe, it, expect } from '@jest/globals';
import { waitUntil } from '#testing';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultNode } from './local-node.js';
import { startLocalStack, type LocalStack, type LocalStackOptions } from './local-stack.js';
import { identityOf } from './process-identity.js';
import { RawNats } from './raw-nats.fixture.js';
import { SERVICES } from './service-table.js';
import { NATS_ADMIN } from './stores.js';
import { breakStub, writeStubCheckout } from './stub-checkout.fixture.js';
import type { SupervisorEvent } from './supervised-process.js';

let folder: string;
let servers: LocalStack;
let stack: LocalStack | undefined;
let started: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-services-'));
  await writeStubCheckout(join(folder, 'checkout'));
  servers = await startLocalStack({ home: join(folder, 'servers'), services: 'none' });
});

afterEach(async () => {
  await stack?.destroy();
  stack = undefined;
});

afterAll(async () => {
  await servers.destroy();
  await rm(folder, { recursive: true, force: true });
});

const home = (): string => join(folder, 'home');

/** All services, as stubs, on servers that are there. */
const start = async (options: Partial<LocalStackOptions> = {}): Promise<LocalStack> => {
  started = [];
  stack = await startLocalStack({
    home: home(),
    checkout: join(folder, 'checkout'),
    databaseUrl: servers.databaseUrl,
    onEvent: (event: SupervisorEvent) => {
      if (event.kind === 'started') started.push(event.name);
    },
    ...options,
  });
  return stack;
};

const given = { natsUrl: 'nats://127.0.0.1:1' };

const told = (name: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(home(), 'told', `${name}.json`), 'utf8')) as Record<string, string>;

describe('the services of a local stack', () => {
  it('start wave by wave, those that use the database when its schema is up to date', async () => {
    await start(given);
    expect(readFileSync(join(home(), 'migrated'), 'utf8')).toBe(servers.databaseUrl);
    const waves = started.map((name) => SERVICES.find((one) => one.name === name)?.wave ?? 0);
    expect(waves).toEqual([...waves].sort((one, other) => one - other));
    expect([...started].sort()).toEqual(SERVICES.map(({ name }) => name as string).sort());
  });

  it('each have a user of their own on the broker, that works, and no other', async () => {
    const running = await start();
    for (const { name } of SERVICES) {
      const url = told(name)['NATS_URL'] ?? '';
      expect(url).toBe(
        running.natsUrlFor(name === 'node-agent' ? { node: 'local', workspace: 'main' } : name),
      );
      const raw = await RawNats.open(url);
      expect(raw.received).toContain('PONG');
      raw.close();
      const others = [NATS_ADMIN, ...SERVICES.map((one) => one.name)].filter((one) => one !== name);
      const text = JSON.stringify(told(name));
      for (const other of others) expect(text).not.toContain(`nats://${other}:`);
    }
  });

  it('come back when they are killed, and say so themselves', async () => {
    const running = await start(given);
    const before = running.pids()['commands'];
    running.kill('commands', 'SIGKILL');
    await waitUntil('another process', () => {
      const pid = running.pids()['commands'];
      return pid !== undefined && pid !== before;
    });
    await running.ready('commands');
    const port = await readFile(join(home(), 'run', 'commands.port'), 'utf8');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).ok).toBe(true);
  });

  it('can be several of a kind, each with files of its own', async () => {
    const running = await start({ ...given, replicas: { commands: 2 } });
    const { commands, 'commands-2': second } = running.pids();
    expect(second).toBeDefined();
    expect(second).not.toBe(commands);
    expect(told('commands-2')['HOLDFAST_PROCESS_NAME']).toBe('commands-2');
    expect(existsSync(join(home(), 'run', 'commands-2.port'))).toBe(true);
    expect(told('commands-2')['NATS_URL']).toBe(told('commands')['NATS_URL']);
  });

  it('can run on several nodes, each with a folder and a user of its own', async () => {
    const local = defaultNode('/checkout');
    const nodes = [local, { ...local, id: 'n2', name: 'second' }];
    const running = await start({ nodes });
    expect(Object.keys(running.pids())).toEqual(
      expect.arrayContaining(['node-agent', 'node-agent-n2']),
    );
    const first = told('node-agent');
    const second = told('node-agent-n2');
    expect(second['NATS_URL']).toBe(running.natsUrlFor({ node: 'n2', workspace: 'main' }));
    expect(first['HOLDFAST_NODE_DATA']).toBe(join(home(), 'node'));
    expect(second['HOLDFAST_NODE_DATA']).toBe(join(home(), 'nodes', 'n2'));
    const file = await readFile(second['HOLDFAST_NODE_CONFIG'] ?? '', 'utf8');
    expect(JSON.parse(file)).toEqual(nodes[1]);
  });

  it('leave the file of the local node alone when somebody has changed it', async () => {
    await mkdir(join(home(), 'node'), { recursive: true });
    await writeFile(join(home(), 'node', 'node.json'), '{"id":"local","agents":[]}');
    await start(given);
    expect(readFileSync(join(home(), 'node', 'node.json'), 'utf8')).toBe(
      '{"id":"local","agents":[]}',
    );
  });

  it('yield the processor where what they do may come later', async () => {
    const running = await start(given);
    const { projector = 0, reconciler = 0, commands = 0 } = running.pids();
    expect([projector, reconciler, commands].map((pid) => getPriority(pid))).toEqual([5, 5, 0]);
  });

  it('are all ended when one of them does not come up, which is explained', async () => {
    const pids: number[] = [];
    await mkdir(home(), { recursive: true });
    await breakStub(home(), 'projector');
    const starting = start({
      ...given,
      onEvent: (event) => {
        if (event.kind === 'started') pids.push(event.pid);
      },
    });
    await expect(starting).rejects.toThrow(/projector ended with code 3[\s\S]*the stub is broken/);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    expect(pids.map((pid) => identityOf(pid))).toEqual(pids.map(() => undefined));
    await rm(home(), { recursive: true, force: true });
  });

  it('are ended when the start is given up', async () => {
    const giveUp = new AbortController();
    const starting = start({
      ...given,
      signal: giveUp.signal,
      onProgress: (step) => {
        if (step === 'commands') giveUp.abort(new Error('enough'));
      },
    });
    await expect(starting).rejects.toThrow('enough');
    expect(existsSync(join(home(), 'run', 'commands.pid'))).toBe(false);
    await rm(home(), { recursive: true, force: true });
  });
});
