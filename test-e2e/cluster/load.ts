import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SubmissionView } from '#contracts';
import type { Client } from '../support/client.js';
import { AGENTS } from './cluster.js';

/** One submission as its caller knows it. Times are milliseconds since 1970. */
export interface Submission {
  readonly key: string;
  readonly agent: string;
  readonly submittedAt: number;
  /** Of the first answer with success; absent while there is none. */
  readonly acceptedAt?: number;
  /** Every run that it was ever told of: more than one would be a double. */
  readonly runIds: readonly string[];
}

/** Between two submissions, ms. Source: two cores that also run twenty processes start a few programs a second. */
const EVERY_MS = 300;
/** Every so many submissions one is asked twice at a time, at two gateways. */
const TWICE_EVERY = 7;
/** Every so many one works for seconds. */
const LONG_EVERY = 4;
const LONG_SECONDS_MAX = 5;
/** Between two attempts for one key, ms. */
const AGAIN_MS = 100;

/**
 * A steady stream of submissions with keys. Each is repeated under its key, at the next gateway, until it is accepted: what a
 * careful caller behind a load balancer does.
 */
export class Load {
  private readonly made: { -readonly [Field in keyof Submission]: Submission[Field] }[] = [];
  private readonly open = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly clients: readonly [Client, ...Client[]],
    private readonly chance: () => number,
  ) {}

  get submissions(): readonly Submission[] {
    return this.made;
  }

  start(): void {
    this.loop = this.run();
  }

  /** Submits no more, and waits until everything that was submitted is accepted. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.loop;
    await Promise.all(this.open);
  }

  private async run(): Promise<void> {
    for (let number = 0; !this.ending.signal.aborted; number += 1) {
      const submitted = this.submit(number).finally(() => this.open.delete(submitted));
      this.open.add(submitted);
      await pause(EVERY_MS);
    }
  }

  private async submit(number: number): Promise<void> {
    const agent = AGENTS[number % AGENTS.length] ?? AGENTS[0];
    const isLong = number % LONG_EVERY === 0;
    const seconds = isLong ? 1 + Math.floor(this.chance() * LONG_SECONDS_MAX) : 0;
    const body = { agent, prompt: String(seconds) };
    const one: (typeof this.made)[number] = {
      key: randomUUID(),
      agent,
      submittedAt: Date.now(),
      runIds: [],
    };
    this.made.push(one);
    const accepted = ({ runId }: SubmissionView): void => {
      one.acceptedAt ??= Date.now();
      if (!one.runIds.includes(runId)) one.runIds = [...one.runIds, runId];
    };
    const callers = number % TWICE_EVERY === 0 ? [number, number + 1] : [number];
    await Promise.all(callers.map(async (at) => accepted(await this.insist(at, body, one.key))));
  }

  private async insist(from: number, body: object, key: string): Promise<SubmissionView> {
    for (let attempt = from; ; attempt += 1) {
      const client = this.clients[attempt % this.clients.length] ?? this.clients[0];
      const answer = await client
        .post<SubmissionView>('/v1/submissions', body, key)
        // eslint-disable-next-line holdfast/no-silent-catch -- the same key again makes a lost answer harmless.
        .catch(() => undefined);
      if (answer?.status === 202) return answer.body;
      if (answer !== undefined && answer.status < 500 && answer.status !== 429)
        throw new Error(`submission refused: ${JSON.stringify(answer)}`);
      await pause(AGAIN_MS);
    }
  }
}
