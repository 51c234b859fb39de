import { headers } from '@nats-io/transport-node';
import { StoreUnavailable } from '#event-store';
import type { NodeId, WorkspaceId } from '#kernel';
import type { NatsLink } from './connection.js';
import { sleep } from './patience.js';
import { AnsweredPublisher } from './publish-answer.js';
import { StreamReader } from './stream-reader.js';
import { leaseSubject, observerLeaseSubject } from './subjects.js';
import { STREAM } from './names.js';

/** The windows that a lease lives by, in milliseconds. */
export interface LeaseWindows {
  readonly leaseMs: number;
  readonly renewalMs: number;
}

/** Renews one lease until stopped. A renewal that fails is not made up for: the next one says more. */
export class LeaseKeeper {
  private readonly publisher: AnsweredPublisher;
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  private lastRenewedMs: number | undefined;

  /** @param body what the renewal says, asked for each time; sent as JSON. */
  constructor(
    link: NatsLink,
    private readonly subject: string,
    private readonly windows: LeaseWindows,
    private readonly body: () => object,
    private readonly options: { readonly onProblem?: (problem: unknown) => void } = {},
  ) {
    this.publisher = new AnsweredPublisher(link);
  }

  /** Keeps a node's lease. */
  static forNode(
    link: NatsLink,
    node: { readonly workspace: WorkspaceId; readonly node: NodeId },
    windows: LeaseWindows,
    body: () => object,
    options: { readonly onProblem?: (problem: unknown) => void } = {},
  ): LeaseKeeper {
    return new LeaseKeeper(link, leaseSubject(node.workspace, node.node), windows, body, options);
  }

  /** When the broker last acknowledged a renewal, on the process's monotonic clock. */
  get renewedAtMs(): number | undefined {
    return this.lastRenewedMs;
  }

  start(): void {
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Renews now. @returns whether the broker acknowledged it. */
  async renew(): Promise<boolean> {
    const data = new TextEncoder().encode(JSON.stringify(this.body()));
    const encoded = headers();
    encoded.set('Nats-Expected-Stream', STREAM.leases);
    const answer = await this.publisher.publish(
      this.subject,
      data,
      encoded,
      this.windows.renewalMs,
    );
    if (answer.kind === 'written') this.lastRenewedMs = performance.now();
    else this.options.onProblem?.('cause' in answer ? answer.cause : answer);
    return answer.kind === 'written';
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const startedMs = performance.now();
      await this.renew();
      await sleep(this.windows.renewalMs - (performance.now() - startedMs), signal);
    }
  }
}

/** What a lease says about its node. */
export type LeaseVerdict =
  | { readonly kind: 'alive'; readonly body: unknown; readonly ageMs: number }
  | { readonly kind: 'expired'; readonly body: unknown; readonly ageMs: number }
  /** The node has never renewed a lease. */
  | { readonly kind: 'never' }
  /** The observer itself is not in a position to judge: it neither accuses nor acquits. */
  | { readonly kind: 'cannot-tell'; readonly why: string };

/** A moment on both clocks. */
interface Mark {
  readonly brokerMs: number;
  readonly monotonicMs: number;
}

/**
 * Judges leases by the broker's clock alone: the time stamp of the observer's own last renewal minus the node's.
 * A lease is expired only for an observer that was itself connected, without a break, for a whole lease.
 */
export class LeaseJudge {
  private readonly keeper: LeaseKeeper;
  private readonly onProblem: (problem: unknown) => void;
  private readonly reader: StreamReader;
  private readonly ownSubject: string;
  /** Since when connection and the broker's clock have been steady. */
  private steadySince: Mark | undefined;
  private own: Mark | undefined;
  private forget: () => void = () => undefined;
  private refreshing: Promise<Mark | undefined> | undefined;

  /** @param observer this process's name, unique among observers; a subject's token. */
  constructor(
    private readonly link: NatsLink,
    observer: string,
    private readonly windows: LeaseWindows,
    options: { readonly onProblem?: (problem: unknown) => void } = {},
  ) {
    this.onProblem = options.onProblem ?? (() => undefined);
    this.ownSubject = observerLeaseSubject(observer);
    this.keeper = new LeaseKeeper(link, this.ownSubject, windows, () => ({ observer }), options);
    this.reader = new StreamReader(link, STREAM.leases, false, {
      requestTimeoutMs: windows.renewalMs,
      budgetMs: windows.renewalMs,
    });
    link.onDisconnect(() => {
      this.steadySince = undefined;
    });
  }

  /** Observes from now on, and again from each reconnect on. */
  start(): void {
    this.keeper.start();
    const observe = (): void => void this.freshMark().catch(this.onProblem); // The next judgement tries again.
    observe();
    this.forget = this.link.onReconnect(observe);
  }

  async stop(): Promise<void> {
    this.forget();
    await this.keeper.stop();
  }

  /** Never throws: what can't be read can't be told. */
  async judge(workspace: WorkspaceId, node: NodeId): Promise<LeaseVerdict> {
    try {
      const own = await this.freshMark();
      if (own === undefined) return cannotTell('the observer could not renew its own lease');
      const message = await this.reader.last(leaseSubject(workspace, node), 'leader');
      if (message === undefined) return { kind: 'never' };
      const ageMs = Math.max(0, own.brokerMs - message.storedAt);
      const body = parseBody(message.data);
      if (ageMs < this.windows.leaseMs) return { kind: 'alive', body, ageMs };
      const steadyMs = this.steadySince ? own.monotonicMs - this.steadySince.monotonicMs : 0;
      if (steadyMs < this.windows.leaseMs)
        return cannotTell(`the observer has been connected for ${Math.round(steadyMs)} ms only`);
      return { kind: 'expired', body, ageMs };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return cannotTell(error.message);
    }
  }

  /** The observer's own place on the broker's clock, at most a twentieth of a lease old. Shared by concurrent calls. */
  private async freshMark(): Promise<Mark | undefined> {
    const oldestMs = performance.now() - this.windows.leaseMs / 20;
    if (this.own && this.steadySince && this.own.monotonicMs >= oldestMs) return this.own;
    this.refreshing ??= this.refresh().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async refresh(): Promise<Mark | undefined> {
    const connectedSinceMs = this.link.connectedSinceMs;
    if (connectedSinceMs === undefined || !(await this.keeper.renew())) return undefined;
    const monotonicMs = performance.now();
    const message = await this.reader.last(this.ownSubject, 'leader');
    if (message === undefined || this.link.connectedSinceMs !== connectedSinceMs) return undefined;
    const mark = { brokerMs: message.storedAt, monotonicMs };
    // A broker's clock that was set makes every lease look old, or young: start to observe anew.
    if (this.own && this.hasJumped(this.own, mark)) this.steadySince = undefined;
    this.own = mark;
    this.steadySince ??= mark;
    return mark;
  }

  /** Two clocks that both run right still drift apart, by at most 1 in 1,000 when one is being corrected. */
  private hasJumped(from: Mark, to: Mark): boolean {
    const passedMs = to.monotonicMs - from.monotonicMs;
    const driftMs = Math.abs(to.brokerMs - from.brokerMs - passedMs);
    return driftMs > this.windows.leaseMs / 3 + passedMs / 1_000;
  }
}

const cannotTell = (why: string): LeaseVerdict => ({ kind: 'cannot-tell', why });

const parseBody = (data: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch {
    return undefined;
  }
};
