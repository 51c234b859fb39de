import { randomUUID } from 'node:crypto';
import { waitUntil } from '#testing/wait-until';
import type {
  NodeView,
  OutputView,
  Page,
  RunDetailView,
  RunView,
  StopView,
  SubmissionView,
  TimelineEntryView,
  UnknownItemView,
} from '#contracts';

export interface HttpAnswer<Body> {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: Body;
}

/** A request that is not answered by then is asked again, where its key allows it. */
const REQUEST_MAX_MS = 15_000;

/** A caller over HTTP. Reads fail as they fail; commands are repeated under their key until there is an answer. */
export class Client {
  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  /** Submits once, whatever happens on the way: the key makes the repeats harmless. */
  async submit(
    agent: string,
    prompt: string,
    { key = randomUUID(), session }: { readonly key?: string; readonly session?: string } = {},
  ): Promise<SubmissionView> {
    const body = { agent, prompt, ...(session === undefined ? {} : { session }) };
    const answer = await this.insist<SubmissionView>('/v1/submissions', body, key);
    if (answer.status !== 202)
      throw new Error(`submission refused: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async stop(runId: string, reason = 'a test says so'): Promise<StopView> {
    const body = { target: { kind: 'run', id: runId }, reason };
    return (await this.insist<StopView>('/v1/stops', body, randomUUID())).body;
  }

  async resolve(runId: string, as: string): Promise<HttpAnswer<unknown>> {
    return this.insist(`/v1/runs/${runId}/resolution`, { as, note: 'looked at it' }, randomUUID());
  }

  run(runId: string): Promise<RunDetailView> {
    return this.get<RunDetailView>(`/v1/runs/${runId}`);
  }

  node(id: string): Promise<NodeView> {
    return this.get<NodeView>(`/v1/nodes/${id}`);
  }

  async timeline(runId: string): Promise<readonly TimelineEntryView[]> {
    return (await this.get<Page<TimelineEntryView>>(`/v1/runs/${runId}/timeline`)).items;
  }

  /** Everything that was kept of a run's output, as text. */
  async output(runId: string): Promise<string> {
    const output = await this.get<OutputView>(`/v1/runs/${runId}/output`);
    return output.items.map(({ data }) => Buffer.from(data, 'base64').toString('utf8')).join('');
  }

  /** Ids of what waits for proof or for an operator. */
  async unknowns(): Promise<readonly string[]> {
    const { items } = await this.get<Page<UnknownItemView>>('/v1/unknowns');
    return items.map((item) => ('spawnId' in item ? item.spawnId : item.runId));
  }

  /** Waits until the run is as described; only the condition matters, not how long it takes. */
  async until(
    runId: string,
    what: string,
    condition: (run: RunDetailView) => boolean,
    withinMs = 60_000,
  ): Promise<RunDetailView> {
    let last: RunDetailView | undefined;
    try {
      return await waitUntil(
        `run ${runId} ${what}`,
        async () => {
          // eslint-disable-next-line holdfast/no-silent-catch -- what can't be read now is read at the next look.
          last = await this.run(runId).catch(() => undefined);
          return last !== undefined && condition(last) ? last : undefined;
        },
        withinMs,
      );
    } catch (cause) {
      throw new Error(`run ${runId} is not ${what}; it is ${JSON.stringify(last)}`, { cause });
    }
  }

  untilStatus(runId: string, ...statuses: readonly RunView['status'][]): Promise<RunDetailView> {
    return this.until(runId, statuses.join(' or '), ({ status }) => statuses.includes(status));
  }

  async get<Body>(path: string): Promise<Body> {
    const answer = await this.send<Body>(path, {});
    if (answer.status !== 200) throw new Error(`GET ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** One request, one answer; throws when there is none. */
  async send<Body>(path: string, init: RequestInit): Promise<HttpAnswer<Body>> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.token}`);
    const signal = AbortSignal.timeout(REQUEST_MAX_MS);
    const response = await fetch(`${this.url}${path}`, { ...init, headers, signal });
    const text = await response.text();
    const body = (text === '' ? null : JSON.parse(text)) as Body;
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, replayed, body };
  }

  post<Body>(path: string, body: unknown, key: string): Promise<HttpAnswer<Body>> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return this.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Repeats under the same key while the answer is lost or says `retryable`. */
  insist<Body>(path: string, body: unknown, key: string): Promise<HttpAnswer<Body>> {
    return waitUntil(
      `an answer to POST ${path}`,
      async () => {
        // eslint-disable-next-line holdfast/no-silent-catch -- the same key again makes a lost answer harmless.
        const answer = await this.post<Body>(path, body, key).catch(() => undefined);
        return answer !== undefined && answer.status < 500 && answer.status !== 429
          ? answer
          : undefined;
      },
      60_000,
    );
  }
}
