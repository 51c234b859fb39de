import type { Asker } from '../http/caller.js';
import { Refusal, ServiceRefusal } from '../http/problem.error.js';
import { ChangeLog, type ChangePage } from './change-log.js';
import type { EventStream } from './event-stream.js';
import type { StreamPace } from './stream-pace.js';

export interface ChangePorts {
  /** The changes after a position, as somebody may see them; without a position: none, only where "now" is. */
  readonly read: (asker: Asker, after: number | undefined) => Promise<ChangePage>;
  /** @throws Refusal or ServiceRefusal when the token may no longer be used. */
  readonly stillAllowed: (asker: Asker) => Promise<void>;
  readonly pace: StreamPace;
}

/** How many pages a viewer that comes back late is served before it is told to read everything again. */
const CATCH_UP_PAGES_MAX = 20;

interface Viewer {
  readonly stream: EventStream;
  readonly asker: Asker;
}

/** One poller for everybody who watches a workspace. It runs while somebody does. */
export class WorkspaceChanges {
  private readonly viewers = new Set<Viewer>();
  private readonly waiting = new Set<() => void>();
  private log: ChangeLog | undefined;
  private isPolling = false;

  constructor(private readonly ports: ChangePorts) {}

  /**
   * Serves a viewer until its stream ends.
   *
   * @param since where it was; undefined for a new one, which sees what changes from now on.
   */
  async serve(stream: EventStream, asker: Asker, since: number | undefined): Promise<void> {
    const viewer = { stream, asker };
    this.viewers.add(viewer);
    try {
      const log = await this.openLog(asker);
      const position = await this.catchUp(viewer, log, since);
      void this.poll();
      await this.follow(viewer, log, position);
    } catch (error) {
      closeOnRefusal(stream, error);
    } finally {
      this.viewers.delete(viewer);
    }
  }

  private async openLog(asker: Asker): Promise<ChangeLog> {
    if (this.log && this.isPolling) return this.log;
    const { to } = await this.ports.read(asker, undefined);
    this.log ??= new ChangeLog(to);
    return this.log;
  }

  /** Reads on behalf of one viewer what the log no longer holds. Answers the position from which the log goes on. */
  private async catchUp(
    { stream, asker }: Viewer,
    log: ChangeLog,
    since?: number,
  ): Promise<number> {
    if (since !== undefined && since <= log.end) {
      let position = since;
      for (let pages = 0; pages < CATCH_UP_PAGES_MAX; pages += 1) {
        if (log.after(position) !== undefined) return position;
        const page = await this.ports.read(asker, position);
        await sendPage(stream, page);
        position = page.to;
      }
    }
    // Too far behind, or ahead of what there is (a restore, a position that was made up): read everything again.
    const event = since === undefined ? 'ready' : 'gap';
    const position = log.end;
    await stream.send({ id: String(position), event, data: {} });
    return position;
  }

  private async follow({ stream, asker }: Viewer, log: ChangeLog, from: number): Promise<void> {
    let position = from;
    let checkedAt = performance.now();
    while (!stream.ended.aborted) {
      const pages = log.after(position);
      if (pages === undefined) {
        position = await this.catchUp({ stream, asker }, log, position);
        continue;
      }
      for (const page of pages) await sendPage(stream, page);
      position = Math.max(position, pages.at(-1)?.to ?? position);
      if (pages.length === 0) await this.news(stream.ended);
      if (performance.now() - checkedAt < this.ports.pace.heartbeatMs) continue;
      await this.ports.stillAllowed(asker);
      checkedAt = performance.now();
    }
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    const { pace } = this.ports;
    const never = new AbortController().signal;
    for (let viewer = this.anyViewer(); viewer && this.log; viewer = this.anyViewer()) {
      const pageOrNone = await this.readFor(viewer, this.log.end);
      if (pageOrNone) this.log.append(pageOrNone);
      for (const wake of [...this.waiting]) wake();
      await pace.pause(pageOrNone ? pace.pollMs : pace.pollMaxMs, never);
    }
    this.isPolling = false;
    this.log = undefined; // Nobody watches: the next one starts from where things are then.
  }

  private anyViewer(): Viewer | undefined {
    const [viewer] = this.viewers;
    return viewer;
  }

  /** A viewer whose token is refused is let go; a service that is away is asked again later. */
  private async readFor({ asker, stream }: Viewer, after: number): Promise<ChangePage | undefined> {
    try {
      return await this.ports.read(asker, after);
    } catch (error) {
      if (error instanceof ServiceRefusal && !error.retryable) closeOnRefusal(stream, error);
      else if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  /** Waits until the poller has looked again, or the stream ends. */
  private news(ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        ended.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      ended.addEventListener('abort', wake, { once: true });
    });
  }
}

/** The last event of a page names the position: a client that saw only some of it gets the page again. */
const sendPage = async (stream: EventStream, { items, to }: ChangePage): Promise<void> => {
  for (const [at, data] of items.entries())
    await stream.send({
      ...(at === items.length - 1 ? { id: String(to) } : {}),
      event: 'change',
      data,
    });
};

const isRefusal = (error: unknown): error is Refusal | ServiceRefusal =>
  error instanceof Refusal || error instanceof ServiceRefusal;

const closeOnRefusal = (stream: EventStream, error: unknown): void => {
  if (!isRefusal(error)) throw error;
  stream.close({ event: 'closing', data: { reason: error.detail, code: error.code } });
};
