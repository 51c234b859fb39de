import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { OutputChunkView, OutputView } from '#contracts';
import { PAGE_SIZE } from '#contracts/requests';
import { CLOCK, type Clock } from '#kernel';
import { ExpiringCache } from '#platform';
import { isSettled } from '../contract/index.js';
import type { RunRow } from '../projection/index.js';
import { NOTHING_COVERED, missingIn, taken, type Coverage } from './output-coverage.js';
import {
  OUTPUT_SOURCE,
  type OutputOf,
  type OutputSource,
  type StoredOutput,
} from './output-source.js';
import { GetOutput } from './run.queries.js';
import { RunReader } from './run-reader.js';

/** How much of one run's output a node keeps, in bytes. Source: the protocol's bounds. */
export const OUTPUT_KEPT_BYTES_MAX = 16 * 1024 * 1024;
/**
 * Pieces are read so many at a time until an answer has enough bytes: with the last read it has at most 576 KiB, which
 * stays below the broker's 1 MiB in base64.
 */
const PIECES_AT_ONCE = 8;
const ENOUGH_BYTES = 64 * 1024;
/**
 * An outcome does not wait for output, so the last pieces may come after it; what is still missing so long after the
 * end, in ms, is taken for lost. Source: a node-agent publishes a piece for at most 8 s.
 */
export const LAST_OUTPUT_MS = 10_000;
/** Where readers that read on have been: without it, all before their place is read again. */
const PLACES = { max: 1_000, keptMs: 60_000 } as const;

interface Reading {
  readonly items: readonly OutputChunkView[];
  readonly next: number;
  readonly end: boolean;
  readonly coverage: Coverage;
}

@QueryHandler(GetOutput)
export class GetOutputHandler implements IQueryHandler<GetOutput> {
  private readonly places = new ExpiringCache<Coverage>(PLACES.max, PLACES.keptMs, () =>
    performance.now(),
  );

  constructor(
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(OUTPUT_SOURCE) private readonly source: OutputSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RuleViolation `run_not_found` */
  async execute({ workspace, request }: GetOutput): Promise<OutputView> {
    const { id, after = 0, limit = PAGE_SIZE.default } = request;
    const run = await this.runs.row(workspace, id); // Before the output: what the run had written by then is read.
    const of = { workspace, run: id, node: run.node };
    const coverage = await this.coverageUpTo(of, after);
    const { items, next, end, ...read } = await this.read(of, after, limit, coverage);
    this.places.set(placeOf(of, next), read.coverage);
    const missing = end ? missingIn(read.coverage, countedOf(run), OUTPUT_KEPT_BYTES_MAX) : 0;
    const isOver = isSettled(run.status) && run.endedAt !== null;
    const isLate = isOver && this.clock.now() - run.endedAt >= LAST_OUTPUT_MS;
    return {
      items,
      next,
      complete: end && isOver && (missing === 0 || isLate),
      missingBytes: missing,
      truncated: run.outputTruncated === true,
    };
  }

  private async read(of: OutputOf, after: number, limit: number, from: Coverage): Promise<Reading> {
    const items: OutputChunkView[] = [];
    let [next, coverage, bytes] = [after, from, 0];
    while (items.length < limit && bytes < ENOUGH_BYTES) {
      const atOnce = Math.min(PIECES_AT_ONCE, limit - items.length);
      const { chunks, end } = await this.source.read(of, {
        after: next,
        limit: atOnce,
      });
      for (const chunk of chunks) {
        const took = taken(coverage, chunk);
        coverage = took.coverage;
        next = chunk.sequence;
        if (took.fresh === undefined) continue;
        bytes += took.fresh.data.length;
        items.push(viewOf(took.fresh));
      }
      if (end) return { items, next, end, coverage };
    }
    return { items, next, end: false, coverage };
  }

  /** What a reader that is at `after` has: from where it was last, or from the start. */
  private async coverageUpTo(of: OutputOf, after: number): Promise<Coverage> {
    const known = after === 0 ? NOTHING_COVERED : this.places.get(placeOf(of, after));
    if (known !== undefined) return known;
    let [position, coverage] = [0, NOTHING_COVERED];
    for (;;) {
      const { chunks, end } = await this.source.read(of, {
        after: position,
        limit: PIECES_AT_ONCE,
      });
      for (const chunk of chunks) {
        if (chunk.sequence > after) return coverage;
        coverage = taken(coverage, chunk).coverage;
        position = chunk.sequence;
      }
      if (end) return coverage;
    }
  }
}

const placeOf = ({ workspace, run }: OutputOf, after: number): string =>
  `${workspace}/${run}/${after}`;

const viewOf = ({ sequence, generation, offset, data }: StoredOutput): OutputChunkView => ({
  sequence,
  generation,
  offset,
  data: Buffer.from(data).toString('base64'),
});

/** What the node counted at the end; undefined while it has not said. */
const countedOf = ({ generation, outputBytes }: RunRow) =>
  outputBytes === null ? undefined : { generation, bytes: outputBytes };
