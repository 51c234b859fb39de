import { describe, expect, it } from '@jest/globals';
import type { OutputView } from '#contracts';
import type { RunRow } from '../projection/index.js';
import type { OutputSource, StoredOutput } from './output-source.js';
import { GetOutputHandler, LAST_OUTPUT_MS } from './run-output.handler.js';
import type { RunReader } from './run-reader.js';
import { GetOutput } from './run.queries.js';

const PIECE_MAX = 64 * 1024;
const piece = (sequence: number, offset: number, text: string, generation = 1): StoredOutput => ({
  sequence,
  generation,
  offset,
  data: new TextEncoder().encode(text),
});

/** Output that can be added to, and that counts how often it is read. */
class KeptOutput implements OutputSource {
  reads = 0;
  /** Whose output was read. */
  readonly of = new Set<string>();
  constructor(readonly pieces: StoredOutput[]) {}

  async read(...[of, { after, limit }]: Parameters<OutputSource['read']>) {
    this.reads += 1;
    this.of.add(`${of.workspace} ${of.run} ${of.node}`);
    const chunks = this.pieces.filter(({ sequence }) => sequence > after).slice(0, limit);
    const last = chunks[chunks.length - 1]?.sequence ?? after;
    return { chunks, end: !this.pieces.some(({ sequence }) => sequence > last) };
  }
}

const RUNNING = {
  node: 'n1',
  status: 'running',
  generation: 1,
  outputBytes: null,
  endedAt: null,
} as const;
const readerOf = (row: Partial<RunRow>, output: OutputSource, now = 1_000) => {
  const runs = { row: async () => ({ outputTruncated: null, ...row }) } as unknown as RunReader;
  const handler = new GetOutputHandler(runs, output, { now: () => now });
  return (after?: number, limit?: number): Promise<OutputView> =>
    handler.execute(
      new GetOutput('main', {
        id: 'r1',
        ...(after === undefined ? {} : { after }),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
};
const textOf = ({ items }: OutputView): string =>
  items.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
const completed = (bytes: number, endedAt = 1_000): Partial<RunRow> => ({
  node: 'n1',
  status: 'completed',
  generation: 1,
  outputBytes: bytes,
  endedAt,
});

describe('the output of a run', () => {
  it('is what there is, and where to read on', async () => {
    const read = readerOf(RUNNING, new KeptOutput([piece(3, 0, 'one '), piece(7, 4, 'two')]));
    expect(await read()).toStrictEqual({
      items: [
        { sequence: 3, generation: 1, offset: 0, data: 'b25lIA==' },
        { sequence: 7, generation: 1, offset: 4, data: 'dHdv' },
      ],
      next: 7,
      complete: false,
      missingBytes: 0,
      truncated: false,
    });
  });

  it('is complete when the run is settled and every counted byte was read', async () => {
    const read = readerOf(
      { ...completed(7), outputTruncated: true },
      new KeptOutput([piece(3, 0, 'one '), piece(7, 4, 'two')]),
    );
    expect(await read()).toMatchObject({ complete: true, missingBytes: 0, truncated: true });
    expect(await read(3)).toMatchObject({ complete: true, missingBytes: 0 });
  });

  it('is complete at once when there was none', async () => {
    const read = readerOf(completed(0), new KeptOutput([]));
    expect(await read()).toMatchObject({ items: [], next: 0, complete: true, missingBytes: 0 });
  });

  it('is waited for a while after the end, then what is missing is said to be missing', async () => {
    const output = new KeptOutput([piece(3, 0, 'one ')]);
    const soon = readerOf(completed(7), output, 1_000 + LAST_OUTPUT_MS - 1);
    expect(await soon()).toMatchObject({ complete: false, missingBytes: 3 });
    const later = readerOf(completed(7), output, 1_000 + LAST_OUTPUT_MS);
    expect(await later()).toMatchObject({ complete: true, missingBytes: 3 });
  });

  it('is read page by page, and says what is missing only at its end', async () => {
    const read = readerOf(
      completed(9),
      new KeptOutput([piece(1, 0, 'ab'), piece(2, 4, 'ef'), piece(3, 6, 'ghi')]),
      1e9,
    );
    const first = await read(0, 2);
    expect(first).toMatchObject({ next: 2, complete: false, missingBytes: 0 });
    expect(await read(first.next, 2)).toMatchObject({ next: 3, complete: true, missingBytes: 2 });
  });

  it('holds no byte twice over several pages, also for a reader that nobody remembers', async () => {
    const pieces = [piece(1, 0, 'abcd'), piece(2, 0, 'abcdef'), piece(3, 4, 'efgh')];
    const read = readerOf(RUNNING, new KeptOutput(pieces));
    const first = await read(0, 1);
    expect(textOf(first) + textOf(await read(first.next))).toBe('abcdefgh');
    const other = readerOf(RUNNING, new KeptOutput(pieces));
    expect(textOf(await other(1))).toBe('efgh');
    expect(textOf(await other(2))).toBe('gh');
  });

  it('is not read from its start again by a reader that goes on where it was', async () => {
    const output = new KeptOutput(Array.from({ length: 100 }, (_, n) => piece(n + 1, n, 'x')));
    const read = readerOf(RUNNING, output);
    let view = await read(0, 10);
    while (view.next < 100) {
      const before = output.reads;
      view = await read(view.next, 10);
      expect(output.reads - before).toBeLessThanOrEqual(2);
    }
  });

  it('is what the node wrote that the run is on, and nobody else', async () => {
    const output = new KeptOutput([piece(1, 0, 'one')]);
    await readerOf({ ...RUNNING, node: 'n7' }, output)(1);
    expect([...output.of]).toStrictEqual(['main r1 n7']);
  });

  it('never makes an answer that the broker would not carry', async () => {
    const large = 'x'.repeat(PIECE_MAX);
    const output = new KeptOutput(
      Array.from({ length: 40 }, (_, n) => piece(n + 1, n * PIECE_MAX, large)),
    );
    const read = readerOf(RUNNING, output);
    let [after, bytes] = [0, 0];
    while (after < 40) {
      const view = await read(after, 200);
      expect(JSON.stringify(view).length).toBeLessThan(1024 * 1024);
      expect(view.next).toBeGreaterThan(after);
      after = view.next;
      bytes += textOf(view).length;
    }
    expect(bytes).toBe(40 * PIECE_MAX);
  });
});
