import type { ChangeView } from '#contracts';

/** What changed after one position of the read models, up to and with another one. */
export interface ChangePage {
  readonly from: number;
  readonly to: number;
  readonly items: readonly ChangeView[];
}

/** How many pages are kept for viewers that are a little behind: with a page every 150 ms, half a minute. */
export const PAGES_KEPT_MAX = 200;

/** The newest changes of one workspace, shared by all who watch it. */
export class ChangeLog {
  private readonly pages: ChangePage[] = [];

  /** From here on nothing is missing. */
  private base: number;

  /** @param head the position that the first page follows. */
  constructor(private head: number) {
    this.base = head;
  }

  get end(): number {
    return this.head;
  }

  /** Pages without changes need not be kept; they move the end. */
  append(page: ChangePage): void {
    if (page.items.length > 0) this.pages.push(page);
    if (this.pages.length > PAGES_KEPT_MAX) this.base = this.pages.shift()?.to ?? this.base;
    this.head = page.to;
  }

  /** What came after a position; undefined when some of it is no longer here. A page may repeat what was seen. */
  after(position: number): readonly ChangePage[] | undefined {
    if (position < this.base) return undefined;
    return this.pages.filter(({ to }) => to > position);
  }
}
