import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NATS_SERIES, natsServerUnderTest, type NatsServerUnderTest } from '#testing';
import type { NatsLink } from './connection.js';
import { forgetMessageIds, linkTo } from './jetstream-under-test.fixture.js';
import { OUTPUT_CHUNK_BYTES_MAX, OutputReader, OutputWriter, type OutputChunk } from './output.js';

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

  it('may be any bytes, up to the bound', async () => {
    const data = new Uint8Array(OUTPUT_CHUNK_BYTES_MAX).map((_, index) => index % 256);
    await writer.write({ ...chunk('r-5', 0, ''), data });
    const { chunks } = await read('r-5');
    expect(chunks[0]!.data).toStrictEqual(data);
    const tooLarge = { ...chunk('r-5', 1, ''), data: new Uint8Array(OUTPUT_CHUNK_BYTES_MAX + 1) };
    await expect(writer.write(tooLarge)).rejects.toThrow(RangeError);
  });
});
