import { bug } from '#kernel';

/** One word of a packed state. Out of range is a bug, never a silent zero. */
export const wordAt = (words: Int32Array, index: number): number => {
  const word = words[index];
  if (word === undefined) throw bug(`no word ${index} among ${words.length}`);
  return word;
};

/** The element that must be there. */
export const itemAt = <T>(items: readonly T[], index: number): T => {
  const item = items[index];
  if (item === undefined) throw bug(`no item ${index} among ${items.length}`);
  return item;
};

/** A list with one element replaced. */
export const withItem = <T>(items: readonly T[], index: number, item: T): readonly T[] =>
  items.map((other, at) => (at === index ? item : other));

/** An Int32Array with room for one more element. */
export const withRoom = (
  words: Int32Array<ArrayBuffer>,
  needed: number,
): Int32Array<ArrayBuffer> => {
  if (needed <= words.length) return words;
  const larger = new Int32Array(Math.max(needed, words.length * 2));
  larger.set(words);
  return larger;
};
