import { randomUUID } from 'node:crypto';
import { headers } from '@nats-io/transport-node';
import { hashOf } from '#event-store';
import type { JournalId } from '#kernel';
import type { StoredMessage } from './codec.js';
import type { NatsLink } from './connection.js';
import { DurablePublisher, type PublisherOptions } from './durable-publisher.js';
import { StreamReader, type ReaderOptions } from './stream-reader.js';
import { outputSubject, type OutputAddress } from './subjects.js';
import { STREAM } from './names.js';

/** The most bytes of output that one chunk carries. Source: the protocol. */
export const OUTPUT_CHUNK_BYTES_MAX = 64 * 1024;

const HEADER = {
  run: 'hf-run',
  generation: 'hf-generation',
  offset: 'hf-offset',
  journal: 'hf-journal',
} as const;

/** A piece of what a run wrote. */
export interface OutputChunk extends OutputAddress {
  readonly generation: number;
  /** Where it stands in this generation's output, in bytes from its start. */
  readonly offset: number;
  readonly data: Uint8Array;
  readonly journal: JournalId;
}

/** Publishes output. A chunk that is published again stands twice at worst: readers skip what they have. */
export class OutputWriter {
  private readonly publisher: DurablePublisher;
  private readonly writerId = randomUUID();

  constructor(link: NatsLink, options: PublisherOptions = {}) {
    this.publisher = new DurablePublisher(link, options);
  }

  /**
   * @throws RangeError the chunk has more than {@link OUTPUT_CHUNK_BYTES_MAX} bytes.
   * @throws AppendFailed the chunk may be stored (`unknown`) or is certainly not.
   */
  async write(chunk: OutputChunk): Promise<void> {
    if (chunk.data.length > OUTPUT_CHUNK_BYTES_MAX)
      throw new RangeError(`a chunk of ${chunk.data.length} bytes is too large`);
    const subject = outputSubject(chunk);
    const encoded = headers();
    // The length belongs to it: a writer that starts anew may cut its output elsewhere, and a longer chunk is no repeat.
    const place = `${this.writerId}\n${subject}\n${chunk.generation}\n${chunk.offset}\n${chunk.data.length}`;
    // The broker knows ids for the whole stream, whatever the subject: one that others could guess, they could use up.
    encoded.set('Nats-Msg-Id', hashOf(new TextEncoder().encode(place)));
    encoded.set(HEADER.run, chunk.run);
    encoded.set(HEADER.generation, String(chunk.generation));
    encoded.set(HEADER.offset, String(chunk.offset));
    encoded.set(HEADER.journal, chunk.journal);
    await this.publisher.publish({ subject, data: chunk.data, headers: encoded });
  }
}

/** A chunk as it is stored. */
export interface StoredChunk {
  /** Its sequence in the stream: where the next read goes on. */
  readonly sequence: number;
  readonly generation: number;
  readonly offset: number;
  readonly data: Uint8Array;
}

export interface OutputReaderOptions extends ReaderOptions {
  readonly allowDirect?: boolean;
  /** A message was passed over that does not say where it stands. */
  readonly onSkipped?: (subject: string, sequence: number) => void;
}

/** Reads the output of single runs, message by message: no consumer is made for a reader. */
export class OutputReader {
  private readonly reader: StreamReader;

  constructor(
    link: NatsLink,
    private readonly options: OutputReaderOptions = {},
  ) {
    this.reader = new StreamReader(link, STREAM.output, options.allowDirect ?? true, options);
  }

  /**
   * Chunks in the order in which they were stored. Each place of a generation is returned once within one answer.
   * A writer that started anew repeats what it had sent, cut differently: readers skip the bytes that they have.
   * A message that does not say where it stands is passed over: it must not hide the rest.
   *
   * @param address with the node that the run is on; what another node wrote under the run's name is not read.
   * @param after the last sequence that the caller has; 0 from the start.
   * @param limit how many chunks at most, 1 to 1,000.
   * @returns `end`: there was nothing more when this was read.
   * @throws StoreUnavailable
   */
  async read(
    address: OutputAddress,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<{ readonly chunks: readonly StoredChunk[]; readonly end: boolean }> {
    const subject = outputSubject(address);
    const atMost = Math.min(Math.max(limit, 1), 1_000);
    const chunks: StoredChunk[] = [];
    const places = new Set<string>();
    let position = after;
    while (chunks.length < atMost) {
      const message = await this.reader.next(subject, position + 1, 'any');
      if (message === undefined) return { chunks, end: true };
      position = message.sequence;
      const chunk = decodeChunk(message);
      if (chunk === undefined) {
        this.options.onSkipped?.(subject, position);
        continue;
      }
      const place = `${chunk.generation} ${chunk.offset} ${chunk.data.length}`;
      if (!places.has(place)) chunks.push(chunk);
      places.add(place);
    }
    return { chunks, end: false };
  }
}

/** The chunk that a message is; undefined when it is none, whoever wrote it. */
const decodeChunk = ({ headers, sequence, data }: StoredMessage): StoredChunk | undefined => {
  const generation = countIn(headers.get(HEADER.generation));
  const offset = countIn(headers.get(HEADER.offset));
  if (generation === undefined || generation < 1 || offset === undefined) return undefined;
  return { sequence, generation, offset, data };
};

/** A header that is left out reads as an empty text, which is no number. */
const countIn = (text: string): number | undefined =>
  /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
