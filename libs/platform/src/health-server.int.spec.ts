import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthServer, JsonFile, Metrics, ReadinessBoard } from './index.js';

let home: string;
let server: HealthServer | undefined;
const readiness = new ReadinessBoard();

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-'));
});
afterEach(async () => {
  await server?.close();
  await rm(home, { recursive: true });
});

const started = (portFile: string, host: string): Promise<HealthServer> =>
  HealthServer.start({ host, port: 0, portFile, readiness, metrics: new Metrics('commands') });

describe('the health server', () => {
  it('is asked on the interface that it was told, and on no other', async () => {
    server = await started(join(home, 'commands.port'), '127.0.0.2');
    const at = (host: string): string => `http://${host}:${server?.port}/livez`;
    expect((await fetch(at('127.0.0.2'))).status).toBe(200);
    await expect(fetch(at('127.0.0.1'))).rejects.toThrow();
  });

  it('answers on the port that it wrote down', async () => {
    const portFile = join(home, 'run', 'commands.port');
    server = await started(portFile, '127.0.0.1');
    const port = (await readFile(portFile, 'utf8')).trim();
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.text()];
    };
    expect(await get('/livez')).toEqual([200, 'ok\n']);
    expect(await get('/readyz')).toEqual([200, '{"ready":true,"checks":{}}\n']);
    readiness.set('nats', () => ({ ok: false, detail: 'away' }));
    expect(await get('/readyz')).toEqual([
      503,
      '{"ready":false,"checks":{"nats":{"ok":false,"detail":"away"}}}\n',
    ]);
    const [status, text] = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('holdfast_process_cpu_seconds_total');
    expect((await get('/else'))[0]).toBe(404);
  });
});

describe('a file with one value', () => {
  it('keeps it, replaces it and forgets it', async () => {
    const file = new JsonFile<{ readonly n: number }>(join(home, 'deep', 'value.json'));
    expect(await file.load()).toBeUndefined();
    await file.save({ n: 1 });
    await file.save({ n: 2 });
    expect(await file.load()).toEqual({ n: 2 });
    await file.save(undefined);
    expect(await file.load()).toBeUndefined();
  });
});
