import { afterEach, beforeEach, describe, it, expect } from '@jest/globals';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServerBinary, type NatsSeries } from './nats-binary.js';
import { NatsServer } from './nats-server.js';
import { identityOf } from './process-identity.js';
import { RawNats } from './raw-nats.fixture.js';

/** A folder whose name needs quoting in the configuration. */
const awkward = 'a "quoted" \\name';

let folder: string;
let server: NatsServer | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-nats-'));
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const stream = JSON.stringify({ name: 'KEPT', subjects: ['kept'], storage: 'file' });

const kept = async (url: string): Promise<number> => {
  const raw = await RawNats.open(url);
  const answer = await raw.request('$JS.API.STREAM.INFO.KEPT', '');
  raw.close();
  return Number(/"messages":(\d+)/.exec(answer)?.[1]);
};

describe.each<[NatsSeries, string]>([
  ['2.9', 'background-sync'],
  ['2.10', 'synced'],
  ['2.15', 'synced'],
])('nats-server %s', (series, durability) => {
  it('keeps its port, and what it acknowledged, across SIGKILL', async () => {
    const binary = await natsServerBinary({ series });
    server = await NatsServer.start({ folder: join(folder, awkward), binary });
    expect(server.durability).toBe(durability);
    const { url, pid } = server;
    const raw = await RawNats.open(url);
    await raw.request('$JS.API.STREAM.CREATE.KEPT', stream);
    for (let sent = 0; sent < 3; sent += 1) await raw.request('kept', 'x');
    raw.close();

    await server.kill();
    expect(identityOf(pid)).toBeUndefined();
    await server.restart();

    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    expect(await kept(url)).toBe(3);
  });
});

describe('users of a nats-server', () => {
  const users = [
    { name: 'anything', password: 'a"b\\c' },
    { name: 'one', password: '2', permissions: { publish: ['mine'], subscribe: ['_INBOX.>'] } },
  ];

  it('may do what they were given and nothing else', async () => {
    server = await NatsServer.start({ folder, users });
    const all = await RawNats.open(server.urlFor('anything'));
    expect(await all.request('$JS.API.INFO', '')).toContain('"memory"');
    all.close();
    const one = await RawNats.open(server.urlFor('one'));
    expect(await one.request('$JS.API.INFO', '')).toContain('Permissions Violation for Publish');
    one.close();
  });

  it('are refused with a wrong password, and without one', async () => {
    server = await NatsServer.start({ folder, users });
    for (const login of ['', 'one:wrong@']) {
      const raw = await RawNats.open(`nats://${login}127.0.0.1:${server.port}`);
      expect(raw.received).toContain('Authorization Violation');
      raw.close();
    }
  });

  it('have their passwords in a file that only its owner may read', async () => {
    server = await NatsServer.start({ folder, users });
    expect((await stat(join(folder, 'nats.conf'))).mode & 0o777).toBe(0o600);
  });
});

describe('a nats-server that cannot start', () => {
  it('says why, with the end of its log', async () => {
    server = await NatsServer.start({ folder });
    const second = NatsServer.start({ folder: join(folder, 'second'), port: server.port });
    await expect(second).rejects.toThrow(
      /nats-server ended with code 1\.[\s\S]*address already in use/,
    );
  });
});
