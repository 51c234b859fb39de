import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { headers } from '@nats-io/transport-node';
import { NATS_SERIES, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { hashOf } from '#event-store';
import type { NatsLink } from './connection.js';
import { forgetMessageIds, linkTo } from './jetstream-under-test.fixture.js';
import { OUTPUT_CHUNK_BYTES_MAX, OutputReader, OutputWriter, type OutputChunk } from './output.js';
import { outputSubject } from './subjects.js';

describe.each(NATS_SERIES)('output on nats-server %s', (series) => {
  let server: NatsServerUnderTest;
  let link: NatsLink;
  let writer: OutputWriter;
  let reader: OutputReader;
  beforeAll(async () => {
    server = await natsServerUnderTest({ series });
    link = await linkTo(server.url);
    writer = new OutputWriter(link);
    reader = new OutputReader(link);
  }, 120_000);
  afterAll(async () => {
    await link?.close();
    await server?.stop();
  });

  const addressOf = (run: string) => ({ workspace: 'main', run, node: 'n1' });
  const chunk = (run: string, offset: number, text: string, generation = 1): OutputChunk => ({
    ...addressOf(run),
    generation,
    offset,
    data: new TextEncoder().encode(text),
    journal: 'j-1',
  });
  const read = async (run: string, after = 0, limit = 100) => {
    const { chunks, end } = await reader.read(addressOf(run), { after, limit });
    const texts = chunks.map(({ data }) => new TextDecoder().decode(data));
    return { chunks, texts, end };
  };

  it('comes back in order, of one run alone, with its place', async () => {
    await writer.write(chunk('r-1', 0, 'hello '));
    await writer.write(chunk('r-2', 0, 'foreign'));
    await writer.write(chunk('r-1', 6, 'wörld'));
    const { chunks, texts, end } = await read('r-1');
    expect(texts).toStrictEqual(['hello ', 'wörld']);
    expect(chunks.map(({ generation, offset }) => [generation, offset])).toStrictEqual([
      [1, 0],
      [1, 6],
    ]);
    expect(end).toBe(true);
    expect(await read('r-none')).toStrictEqual({ chunks: [], texts: [], end: true });
  });

  it('is read in pages, from where the last one ended', async () => {
    for (let index = 0; index < 5; index += 1)
      await writer.write(chunk('r-3', index, String(index)));
    const first = await read('r-3', 0, 2);
    expect([first.texts, first.end]).toStrictEqual([['0', '1'], false]);
    const second = await read('r-3', first.chunks[1]!.sequence, 2);
    expect([second.texts, second.end]).toStrictEqual([['2', '3'], false]);
    const last = await read('r-3', second.chunks[1]!.sequence, 2);
    expect([last.texts, last.end]).toStrictEqual([['4'], true]);
  });

  it('shows a chunk that was stored twice only once', async () => {
    await writer.write(chunk('r-4', 0, 'once'));
    await writer.write(chunk('r-4', 0, 'once')); // Inside the duplicate window: not stored.
    await forgetOutput();
    await writer.write(chunk('r-4', 0, 'once')); // Outside: stored again.
    await writer.write(chunk('r-4', 0, 'next generation', 2));
    expect((await read('r-4')).texts).toStrictEqual(['once', 'next generation']);
  });

  const forgetOutput = async (): Promise<void> => forgetMessageIds(link, 'output');

  it('is of the node that the run is on: what another one wrote under its name is not read', async () => {
    await writer.write(chunk('r-6', 0, 'mine'));
    await writer.write({ ...chunk('r-6', 4, ' forged'), node: 'n2' });
    expect(await read('r-6')).toMatchObject({ texts: ['mine'], end: true });
    expect(await read('r-6', (await read('r-6')).chunks[0]!.sequence)).toMatchObject({ texts: [] });
  });

  it.each([
    ['no header', {}],
    ['no offset', { 'hf-generation': '1' }],
    ['no generation', { 'hf-offset': '0' }],
    ['a generation before the first', { 'hf-generation': '0', 'hf-offset': '0' }],
    ['an offset before the start', { 'hf-generation': '1', 'hf-offset': '-1' }],
    ['words for numbers', { 'hf-generation': 'one', 'hf-offset': 'none' }],
    ['a number that is none', { 'hf-generation': '1', 'hf-offset': '1e999' }],
  ])('is read past a message with %s', async (what, values) => {
    const run = `r-${what.replaceAll(' ', '-')}`;
    await writer.write(chunk(run, 0, 'before '));
    const encoded = headers();
    for (const [name, value] of Object.entries(values)) encoded.set(name, value);
    const how = Object.keys(values).length === 0 ? {} : { headers: encoded };
    link.connection.publish(outputSubject(addressOf(run)), 'junk', how);
    await link.connection.flush();
    await writer.write(chunk(run, 7, 'after'));
    for (const allowDirect of [true, false]) {
      const skipped: string[] = [];
      const onSkipped = (subject: string): void => void skipped.push(subject);
      const one = new OutputReader(link, { allowDirect, onSkipped });
      const { chunks, end } = await one.read(addressOf(run), { after: 0, limit: 10 });
      expect([chunks.map(({ offset }) => offset), end]).toStrictEqual([[0, 7], true]);
      expect(skipped).toStrictEqual([outputSubject(addressOf(run))]);
    }
  });

  it.each([
    ['whose headers can not be read', 'NATS/1.0\r\nno name: 1\r\n\r\n', 'junk'],
    ['that looks like an error', 'NATS/1.0 404 No Messages\r\n\r\n', 'junk'],
    ['that looks like the absence of the broker', 'NATS/1.0 503\r\n\r\n', ''],
  ])('is read past a message %s', async (what, head, junk) => {
    const run = `r-${what.replaceAll(' ', '-')}`;
    await writer.write(chunk(run, 0, 'before '));
    await publishRaw(outputSubject(addressOf(run)), head, junk);
    await writer.write(chunk(run, 7, 'after'));
    expect((await read(run)).texts).toStrictEqual(['before ', 'after']);
  });

  /** Publishes what no client library would. */
  const publishRaw = async (subject: string, head: string, data: string): Promise<void> => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const heard: string[] = [];
    socket.on('data', (some) => heard.push(String(some)));
    socket.write('CONNECT {"verbose":false,"headers":true}\r\n');
    const length = head.length + data.length;
    socket.write(`HPUB ${subject} ${head.length} ${length}\r\n${head}${data}\r\nPING\r\n`);
    await waitUntil('the broker has it', () => heard.join('').includes('PONG'));
    socket.destroy();
  };

  it('is stored though somebody has used the id that could be guessed for it', async () => {
    const place = `${outputSubject(addressOf('r-8'))}\n1\n0\n4`;
    const guessed = headers();
    guessed.set('Nats-Msg-Id', hashOf(new TextEncoder().encode(place)));
    const elsewhere = outputSubject({ ...addressOf('r-8'), node: 'n2' });
    link.connection.publish(elsewhere, 'junk', { headers: guessed });
    await link.connection.flush();
    await writer.write(chunk('r-8', 0, 'mine'));
    expect((await read('r-8')).texts).toStrictEqual(['mine']);
  });

  it('may be any bytes, up to the bound', async () => {
    const data = new Uint8Array(OUTPUT_CHUNK_BYTES_MAX).map((_, index) => index % 256);
    await writer.write({ ...chunk('r-5', 0, ''), data });
    const { chunks } = await read('r-5');
    expect(chunks[0]!.data).toStrictEqual(data);
    const tooLarge = { ...chunk('r-5', 1, ''), data: new Uint8Array(OUTPUT_CHUNK_BYTES_MAX + 1) };
    await expect(writer.write(tooLarge)).rejects.toThrow(RangeError);
  });
});
