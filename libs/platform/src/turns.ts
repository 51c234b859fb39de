/** Work that is done one after the other for each key, in the order in which it was asked for. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Does it when all that was asked for before is over, also when that failed. Settles as the work does. */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work, work);
    this.last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}
