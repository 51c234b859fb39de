/** A piece of a run's output, where it stands in its generation. */
export interface OutputPiece {
  readonly generation: number;
  /** In bytes from the start of this generation's output. */
  readonly offset: number;
  readonly data: Uint8Array;
}

/** What a reader has of one generation. */
interface Covered {
  /** One past its last byte. */
  readonly end: number;
  /** How many bytes; less than `end` when some are missing before it. */
  readonly bytes: number;
}

/** What a reader has of a run's output, by generation. */
export type Coverage = ReadonlyMap<number, Covered>;
export const NOTHING_COVERED: Coverage = new Map();

/** What a piece adds to what a reader has. Pure: a node-agent that started anew sends again what it had sent, cut differently. */
export const taken = <Piece extends OutputPiece>(
  coverage: Coverage,
  piece: Piece,
): { readonly coverage: Coverage; readonly fresh: Piece | undefined } => {
  const { generation, offset, data } = piece;
  const { end, bytes } = coverage.get(generation) ?? { end: 0, bytes: 0 };
  const known = Math.max(0, end - offset);
  if (known >= data.length) return { coverage, fresh: undefined };
  const fresh = { ...piece, offset: offset + known, data: data.subarray(known) };
  const covered = { end: offset + data.length, bytes: bytes + fresh.data.length };
  return { coverage: new Map([...coverage, [generation, covered]]), fresh };
};

/** Bytes that are known to have been written and kept, and that the reader does not have. Pure. */
export const missingIn = (
  coverage: Coverage,
  counted: { readonly generation: number; readonly bytes: number } | undefined,
  keptBytesMax: number,
): number => {
  const ends = new Map([...coverage].map(([generation, { end }]) => [generation, end]));
  if (counted !== undefined) {
    const kept = Math.min(counted.bytes, keptBytesMax);
    ends.set(counted.generation, Math.max(kept, ends.get(counted.generation) ?? 0));
  }
  return [...ends].reduce(
    (missing, [generation, end]) => missing + end - (coverage.get(generation)?.bytes ?? 0),
    0,
  );
};
