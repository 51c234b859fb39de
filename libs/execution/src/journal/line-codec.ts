import { crc32 } from 'node:zlib';
import { JournalCorrupt } from './errors.js';
import type { JournalFile } from './journal-fs.js';

/**
 * One line is `<length> <crc32> <json>\n`, both numbers as eight hexadecimal digits over the bytes of the JSON. JSON has no
 * line feed in it, so what a torn write left can only be the part after the last line feed.
 */
const PREFIX_BYTES = 18;
const PREFIX = /^[0-9a-f]{8} [0-9a-f]{8} $/;

const hex = (value: number): string => value.toString(16).padStart(8, '0');

export const encodeLine = (value: unknown): Buffer => {
  const json = Buffer.from(JSON.stringify(value), 'utf8');
  return Buffer.concat([
    Buffer.from(`${hex(json.length)} ${hex(crc32(json))} `, 'latin1'),
    json,
    Buffer.from('\n', 'latin1'),
  ]);
};

/** @returns undefined when the guard does not fit. */
export const decodeLine = (line: Buffer): unknown => {
  const prefix = line.toString('latin1', 0, PREFIX_BYTES);
  const json = line.subarray(PREFIX_BYTES);
  if (!PREFIX.test(prefix) || prefix !== `${hex(json.length)} ${hex(crc32(json))} `)
    return undefined;
  return JSON.parse(json.toString('utf8')) as unknown;
};

export interface Line {
  readonly value: unknown;
  /** With its line feed, to be copied as it is. */
  readonly bytes: Buffer;
}

/** How much is read at once. Source: a round size that needs few calls and little memory. */
const READ_BYTES = 1_048_576;

/**
 * Reads whole lines.
 *
 * @returns where the last whole line ends; bytes after it are a torn write that nobody was promised.
 * @throws JournalCorrupt at a whole line whose guard does not fit.
 */
export const readLines = async (
  file: JournalFile,
  path: string,
  take: (line: Line) => void | Promise<void>,
): Promise<{ readonly end: number; readonly torn: number }> => {
  const size = await file.size();
  let offset = 0;
  let rest = Buffer.alloc(0);
  for (let position = 0; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, size - position));
    const read = await file.read(chunk, position);
    if (read === 0) break; // Shorter than a moment ago: only we write it, so this can only be the file system's failure.
    position += read;
    let bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let feed = bytes.indexOf(0x0a); feed >= 0; feed = bytes.indexOf(0x0a)) {
      const value = decodeLine(bytes.subarray(0, feed));
      if (value === undefined)
        throw new JournalCorrupt(path, offset, 'length or checksum of a whole record do not fit');
      await take({ value, bytes: bytes.subarray(0, feed + 1) });
      offset += feed + 1;
      bytes = bytes.subarray(feed + 1);
    }
    rest = bytes;
  }
  return { end: offset, torn: size - offset };
};
