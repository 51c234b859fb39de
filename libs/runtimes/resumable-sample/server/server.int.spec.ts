import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '#testing';
import type { Behaviours } from '../behaviours.js';
import { RuntimeClient, RuntimeRefused } from '../driver/runtime-client.js';
import type { TurnLine } from '../protocol.js';
import { sampleServerArgv } from '../sample-server.js';
import { promptHash, readLedger } from './ledger.js';

/** A bound against hanging, not an expectation: a busy machine starts processes slowly. */
jest.setTimeout(60_000);

let folder: string;
let servers: ChildProcess[];
let hangUp: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-server-'));
  servers = [];
  hangUp = new AbortController();
});
afterEach(() => {
  hangUp.abort();
  for (const server of servers) server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const start = async (behaviours: Partial<Behaviours> = {}): Promise<RuntimeClient> => {
  const socket = join(folder, `${servers.length}.sock`);
  const dataDir = join(folder, 'data');
  const [node, ...args] = sampleServerArgv({ dataDir, socket, behaviours });
  const server = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  await once(server.stdout, 'data');
  return new RuntimeClient(socket, hangUp.signal);
};
/** What a turn waits for, so that no test depends on time. */
const door = (): string => join(folder, 'door');
const ledger = () => readLedger(join(folder, 'data', 'ledger.jsonl'));
const linesOf = async (lines: AsyncIterable<TurnLine>): Promise<TurnLine[]> => {
  const all: TurnLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
};
const kinds = async (lines: AsyncIterable<TurnLine>): Promise<readonly TurnLine['type'][]> =>
  (await linesOf(lines)).map(({ type }) => type);
/** Asks for a turn and waits until it is in the history. */
const began = async (client: RuntimeClient, thread: string, key: string, prompt: string) => {
  const lines = client.begin(thread, key, prompt)[Symbol.asyncIterator]();
  const ack = (await lines.next()).value as Extract<TurnLine, { type: 'ack' }>;
  await lines.next();
  return ack.turn;
};
const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof RuntimeRefused ? error.code : error),
  );

describe('the sample runtime as a server', () => {
  it('answers a turn line by line, with the prompt in its ledger before', async () => {
    const client = await start();
    const thread = await client.createThread();
    const lines = client.begin(thread, 'key', 'say one; say two')[Symbol.asyncIterator]();
    await lines.next();
    expect(
      ledger().map(({ n, kind, clientId, prompt, steered }) => [
        n,
        kind,
        clientId,
        prompt,
        steered,
      ]),
    ).toEqual([[1, 'initial', 'key', promptHash('say one; say two'), false]]);
    const rest = await linesOf({ [Symbol.asyncIterator]: () => lines });
    expect(rest.map((line) => (line.type === 'observed' ? line.type : line))).toEqual([
      'observed',
      { type: 'delta', text: 'one\n' },
      { type: 'delta', text: 'two\n' },
      { type: 'end', status: 'completed', answer: 'one\ntwo\n' },
    ]);
  });

  it('keeps its threads over SIGKILL, with what was at work interrupted', async () => {
    const client = await start();
    const thread = await client.createThread();
    await linesOf(client.begin(thread, 'first', 'say done'));
    await began(client, thread, 'second', 'hang');
    servers[0]?.kill('SIGKILL');
    const again = await start();
    await again.resume(thread);
    const { turns } = await again.view(thread);
    expect(turns.map(({ clientId, status, answer }) => [clientId, status, answer])).toEqual([
      ['first', 'completed', 'done\n'],
      ['second', 'interrupted', ''],
    ]);
    expect(turns.map(({ completedAt }) => completedAt === null)).toEqual([false, true]);
  });

  it('steers a second prompt into the turn at work, and gives that turn’s name for it', async () => {
    const client = await start();
    const thread = await client.createThread();
    const turn = await began(client, thread, 'first', `until ${door()}`);
    const second = linesOf(client.begin(thread, 'second', 'say more'));
    await waitUntil('the second prompt', () => ledger().length === 2);
    writeFileSync(door(), '');
    const steered = await second;
    expect(steered[0]).toEqual({ type: 'ack', thread, turn });
    expect(ledger().map(({ clientId, steered: isSteered }) => [clientId, isSteered])).toEqual([
      ['first', false],
      ['second', true],
    ]);
    expect((await client.view(thread)).turns.map(({ answer }) => answer)).toEqual(['more\n']);
  });

  it('refuses a second prompt when it does not steer', async () => {
    const client = await start({ steer: false });
    const thread = await client.createThread();
    await began(client, thread, 'first', 'hang');
    expect(await refusalOf(linesOf(client.begin(thread, 'second', 'say more')))).toBe(
      'turn_active',
    );
    expect(ledger()).toHaveLength(1);
  });

  it('runs the same key twice, unless it deduplicates', async () => {
    for (const [deduplicate, answers] of [
      [false, ['x\n', 'x\n']],
      [true, ['x\n']],
    ] as const) {
      const client = await start({ deduplicate });
      const thread = await client.createThread();
      await linesOf(client.begin(thread, 'key', 'say x'));
      expect(await kinds(client.begin(thread, 'key', 'say x'))).toContain('end');
      const { turns } = await client.view(thread);
      expect(turns.map(({ answer }) => answer)).toEqual(answers);
    }
  });

  it('shows a living turn as interrupted in a second process, and fences its thread', async () => {
    const first = await start();
    const thread = await first.createThread();
    const turn = await began(first, thread, 'key', `until ${door()}; say done`);
    const second = await start();
    expect((await second.view(thread)).turns.map(({ status }) => status)).toEqual(['interrupted']);
    expect(await refusalOf(second.resume(thread))).toBe('active_writer');
    expect(await refusalOf(second.interrupt(thread, turn))).toBe('no_active_turn');
    writeFileSync(door(), '');
    await waitUntil('its end', async () => {
      const [seen] = (await second.view(thread)).turns;
      return seen?.status === 'completed' && seen.answer === 'done\n';
    });
    await second.resume(thread);
  });

  it('may show it as running instead, and may have no fence', async () => {
    const first = await start();
    const thread = await first.createThread();
    await began(first, thread, 'key', 'hang');
    const second = await start({ liveTurnElsewhere: 'running', fence: false });
    expect((await second.view(thread)).turns.map(({ status }) => status)).toEqual(['running']);
    await second.resume(thread);
  });

  it('forgets a turn that it acknowledged', async () => {
    const client = await start({ loseAckedTurn: 1 });
    const thread = await client.createThread();
    expect(await kinds(client.begin(thread, 'key', 'say x'))).toEqual(['ack']);
    expect(await client.find('key')).toEqual([]);
    expect(ledger()[0]?.kind).toBe('initial');
  });

  it('does not know the client’s ids when that is switched off', async () => {
    const client = await start({ readBackByClientId: false });
    const thread = await client.createThread();
    await linesOf(client.begin(thread, 'key', 'say x'));
    expect(await refusalOf(client.find('key'))).toBe('not_supported');
    expect((await client.view(thread)).turns.map((turn) => 'clientId' in turn)).toEqual([false]);
  });

  it('interrupts its turns in order when it is told to end', async () => {
    const client = await start();
    const thread = await client.createThread();
    await began(client, thread, 'key', 'say half; hang');
    servers[0]?.kill('SIGTERM');
    await once(servers[0] as ChildProcess, 'exit');
    const again = await start();
    const { turns } = await again.view(thread);
    expect(turns.map(({ status, answer }) => [status, answer])).toEqual([
      ['interrupted', 'half\n'],
    ]);
    expect(turns[0]?.completedAt).not.toBeNull();
  });

  it.each([
    ['/etc/passwd', 'bad_request'],
    ['no-such-thread', 'no_such_thread'],
  ])('refuses what it does not know: %s', async (thread, code) => {
    const client = await start();
    expect(await refusalOf(client.view(thread))).toBe(code);
  });
});
