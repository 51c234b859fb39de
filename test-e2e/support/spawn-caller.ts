import type { Problem, StrictSpawnAnswer, StrictSpawnView } from '#contracts';
import { RequestClient, type Answer, type NatsLink } from '#nats';
import { STRICT_SPAWN_CONTRACT } from '#spawns/contract';
import { waitUntil } from '#testing/wait-until';
import { Client, type HttpAnswer } from './client.js';

export type Route = 'invoke' | 'replay';
export type Wire = 'http' | 'nats';

/** What a strict call asks for; left out are the facts that all calls of a test share. */
export interface StrictFacts {
  readonly task: string;
  readonly node_id?: string;
  readonly node_name?: string;
  readonly agent_name?: string;
  readonly harness?: string;
  readonly directory?: string;
  readonly verify_ready?: boolean;
  readonly worker_cwd?: string;
}

/** What was answered: a snapshot, or the code of a refusal. */
export interface StrictAnswer {
  readonly status: number;
  readonly replayed: boolean;
  readonly view: StrictSpawnView | null;
  readonly code: string | null;
  /** All that a refusal says, but for the id of its request. */
  readonly problem: object | null;
}

const PATHS = { invoke: 'strict-invoke', replay: 'replay' } as const;
const SUBJECTS = {
  invoke: 'hf.cmd.spawns.strictInvoke',
  replay: 'hf.cmd.spawns.replay',
} as const;
/** How long one call over NATS waits, ms. */
const CALL_MAX_MS = 15_000;

/** The body of a call: everything that is bound, or only the contract. */
export const strictBody = (facts: StrictFacts) => ({
  spawn_contract: STRICT_SPAWN_CONTRACT,
  node_id: 'n1',
  node_name: 'builder',
  agent_name: 'worker',
  harness: 'ledger',
  ...facts,
});

/** An agent that calls both strict routes, over HTTP and over NATS. */
export class SpawnCaller {
  private readonly client: Client;

  constructor(
    url: string,
    private readonly token: string,
    /** Connected as the gateway is. */
    private readonly door: NatsLink,
  ) {
    this.client = new Client(url, token);
  }

  /** One call over HTTP, which the gateway repeats while its service is away. @throws when there is no answer. */
  async http(route: Route, key: string, facts: StrictFacts | null): Promise<StrictAnswer> {
    const path = `/v1/actions/spawn/${PATHS[route]}`;
    return answerOfHttp(await this.client.post(path, bodyOf(facts), key));
  }

  /** One call over NATS, which nobody repeats. @throws when there is no answer. */
  async nats(
    route: Route,
    key: string,
    facts: StrictFacts | null,
    { door = this.door, timeoutMs = CALL_MAX_MS } = {},
  ): Promise<StrictAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, 'idempotency-key': key };
    const answer = await new RequestClient(door).request<StrictSpawnAnswer>(
      SUBJECTS[route],
      bodyOf(facts),
      { headers, timeoutMs },
    );
    return answerOfNats(answer);
  }

  /** Repeats under its key until it has a snapshot; codes that are no use to wait for are thrown. */
  insist(
    route: Route,
    key: string,
    facts: StrictFacts | null,
    { wire = 'http', mayBeMissing = false }: { wire?: Wire; mayBeMissing?: boolean } = {},
  ): Promise<StrictAnswer & { readonly view: StrictSpawnView }> {
    return waitUntil(
      `an answer to ${route} of ${key}`,
      async () => {
        // eslint-disable-next-line holdfast/no-silent-catch -- the same key again makes a lost answer harmless.
        const answer = await this[wire](route, key, facts).catch(() => undefined);
        if (answer === undefined) return undefined;
        const { view } = answer;
        if (view !== null) return { ...answer, view };
        const again = isPassing(answer) || (mayBeMissing && answer.code === 'invocation_not_found');
        if (again) return undefined;
        throw new Error(`${route} of ${key} was refused: ${JSON.stringify(answer)}`);
      },
      60_000,
    );
  }
}

const isPassing = ({ status, code }: StrictAnswer): boolean =>
  status >= 500 || status === 429 || code === 'node_offline';

const bodyOf = (facts: StrictFacts | null): object =>
  facts === null ? { spawn_contract: STRICT_SPAWN_CONTRACT } : strictBody(facts);

const answerOfHttp = ({ status, replayed, body }: HttpAnswer<unknown>): StrictAnswer => {
  if (status === 201)
    return { status, replayed, view: body as StrictSpawnView, code: null, problem: null };
  const { requestId: _, ...problem } = body as Partial<Problem>;
  return { status, replayed, view: null, code: problem.code ?? null, problem };
};

const answerOfNats = (answer: Answer<StrictSpawnAnswer>): StrictAnswer => {
  switch (answer.kind) {
    case 'answer':
      return {
        status: 201,
        replayed: answer.value.replayed,
        view: answer.value.value,
        code: null,
        problem: null,
      };
    case 'refused': {
      const { error: problem } = answer;
      const { code, retryable } = problem;
      return { status: retryable ? 503 : 409, replayed: false, view: null, code, problem };
    }
    case 'not-delivered':
    case 'no-answer':
      throw new Error(`a call over NATS was not answered: ${answer.kind}`);
  }
};
