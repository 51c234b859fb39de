import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openEvidence } from '#runtimes';
import { WORK_FILES } from './program.js';

/** A part of a program's output. `offset` counts bytes from the start, so that a repeat is recognised. */
export interface OutputChunk {
  readonly offset: number;
  readonly data: Buffer;
}

/** A chunk is one message of the output stream: small enough to flow, large enough to be cheap. Source: the protocol. */
export const OUTPUT_CHUNK_MAX_BYTES = 65_536;
/** What is kept of one run's output; the file itself, its count and its hash are whole. Source: the protocol. */
export const OUTPUT_KEPT_MAX_BYTES = 16_777_216;

/** Reads the output of a program that may still be writing; a file that was removed has no bytes. One reader at a time. */
export class OutputTail {
  readonly #path: string;
  #offset: number;
  #truncated = false;

  /** @param from offset of the first byte that is wanted: where an earlier reader stopped. */
  constructor(
    workdir: string,
    from = 0,
    private readonly keptMaxBytes = OUTPUT_KEPT_MAX_BYTES,
  ) {
    this.#path = join(workdir, WORK_FILES.output);
    this.#offset = from;
  }

  /** Where the next chunk begins. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether there is output past the bound: it is counted and hashed, not passed on. Known once `next` had no more to give. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /**
   * The next chunk, or undefined while there is none. A character is not cut in two, except at the bound.
   *
   * @param last the program has ended: also gives an incomplete character at the very end.
   */
  async next(last = false): Promise<OutputChunk | undefined> {
    const room = Math.min(OUTPUT_CHUNK_MAX_BYTES, this.keptMaxBytes - this.#offset);
    if (room <= 0) {
      this.#truncated ||= (await this.#read(1)).length > 0;
      return undefined;
    }
    const bytes = await this.#read(room);
    const atBound = this.#offset + bytes.length >= this.keptMaxBytes;
    const whole = wholeCharacters(bytes);
    const data =
      whole === 0 && (last || atBound) ? bytes : bytes.subarray(0, atBound ? undefined : whole);
    if (data.length === 0) return undefined;
    const chunk = { offset: this.#offset, data };
    this.#offset += data.length;
    return chunk;
  }

  async #read(length: number): Promise<Buffer> {
    const file = await openEvidence(this.#path);
    if (file === undefined) return Buffer.alloc(0);
    try {
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(length),
        0,
        length,
        this.#offset,
      );
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}

/** How many leading bytes form whole UTF-8 characters. Bytes that are no UTF-8 at all are passed on as they are. */
const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue; // In the middle of a character: look for its first byte.
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

export interface OutputSum {
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
}

/**
 * Count and hash of everything that a program wrote; call it after the program's end. Reads the file as a stream. A file
 * that the program removed counts as no bytes: nobody can read them any more.
 */
export const sumOutput = async (workdir: string): Promise<OutputSum> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await openEvidence(join(workdir, WORK_FILES.output));
  if (file !== undefined)
    for await (const part of file.createReadStream()) {
      hash.update(part as Buffer);
      bytes += (part as Buffer).length;
    }
  return { bytes, sha256: hash.digest('hex') };
};
