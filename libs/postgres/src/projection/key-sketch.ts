/** 2 MiB. Among a million keys, one in seventeen that was never added is taken for one that was. */
const BITS = 2 ** 24;

/** Which keys were seen, in a fixed amount of memory: one that was added is always known, another one nearly never. */
export class KeySketch {
  /** Made when the first key comes: most tables of a build have few. */
  private bits: Uint8Array | undefined;
  private isFull = false;

  add(key: string): void {
    const bit = bitOf(key);
    this.bits ??= new Uint8Array(BITS / 8);
    this.bits[bit >>> 3] = (this.bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  /** From now on every key may have been added. */
  addAll(): void {
    this.isFull = true;
  }

  mayHave(key: string): boolean {
    if (this.isFull) return true;
    const bit = bitOf(key);
    return this.bits !== undefined && ((this.bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

/** FNV-1a, folded to 24 bits. */
const bitOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1)
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return ((hash >>> 24) ^ hash) & (BITS - 1);
};
