import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  startLocalStack,
  type LocalNode,
  type LocalStack,
  type SupervisorEvent,
} from '#local-stack';
import { connectLink, type NatsLink } from '#nats';
import { waitUntil } from '#testing/wait-until';
import { Client } from '../support/client.js';
import { readLedger } from '../support/ledger.js';
import { StreamReader } from '../support/stream.js';
import { CutOffNode } from './cut-off-node.js';

/** The node that can be cut off. */
export const CUT_NODE = 'n2';
/** Its agent, and that of the other node. */
export const AGENTS = ['ledger-n1', 'ledger-n2'] as const;

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const READY_MAX_MS = 60_000;
/** How long one question to a process may take, ms: it may be frozen. */
const ANSWER_MAX_MS = 2_000;

/** What a broker says of the stream's replicas. */
interface StreamPeers {
  readonly leader: string;
  readonly followers: readonly string[];
}

/**
 * A whole system of real processes: three brokers with three copies of each stream, two of each service (of projector and
 * reconciler one is active), and two nodes, of which one can be cut off.
 */
export class Cluster {
  /** One caller for each gateway. */
  readonly clients: readonly [Client, ...Client[]];

  private constructor(
    readonly stack: LocalStack,
    readonly stream: StreamReader,
    readonly link: NatsLink,
    readonly far: CutOffNode,
    /** What the supervisor saw: starts and ends of processes, with their exits. */
    readonly events: readonly SupervisorEvent[],
  ) {
    const [first = '', ...others] = stack.urls;
    const callerOf = (url: string): Client => new Client(url, stack.operatorToken);
    this.clients = [callerOf(first), ...others.map(callerOf)];
  }

  static async start(options: {
    readonly windows?: Readonly<Record<string, number>>;
    readonly say?: (what: string) => void;
  }): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'hf-cluster-'));
    const events: SupervisorEvent[] = [];
    const stack = await startLocalStack({
      home: join(folder, 'home'),
      brokers: 3,
      replicas: { gateway: 2, commands: 2, sagas: 2, queries: 2, projector: 2, reconciler: 2 },
      nodes: [nodeOf('n1', folder), nodeOf('n2', folder)],
      onEvent: (event) => {
        events.push(event);
      },
      ...(options.windows === undefined ? {} : { windows: options.windows }),
      ...(options.say === undefined ? {} : { onProgress: options.say }),
    });
    const admin = stack.natsUrlFor('admin');
    const client = new Client(stack.url, stack.operatorToken);
    const { incarnation } = await waitUntil(`${CUT_NODE} to have joined`, async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- it is there when its rows are.
      return client.node(CUT_NODE).catch(() => undefined);
    });
    const far = await CutOffNode.takeOver(stack, `node-agent-${CUT_NODE}`);
    const stream = await StreamReader.connect(admin);
    const link = await connectLink({ url: admin, name: 'cluster proof' });
    const cluster = new Cluster(stack, stream, link, far, events);
    await waitUntil(
      `${CUT_NODE} to have joined over its own link`,
      async () => (await client.node(CUT_NODE)).incarnation !== incarnation,
      READY_MAX_MS,
    );
    return cluster;
  }

  /** Holds the ledger, and the home of the stack. */
  get folder(): string {
    return dirname(this.stack.home);
  }

  get client(): Client {
    return this.clients[0];
  }

  ledger(): ReturnType<typeof readLedger> {
    return readLedger(ledgerOf(this.folder));
  }

  /** The processes of the brokers that lead the events and that follow. */
  async brokers(): Promise<StreamPeers> {
    return waitUntil('the events to have a leader and two followers', async () => {
      const peers = await this.#peers();
      return peers?.followers.length === 2 ? peers : undefined;
    });
  }

  /** Whether every stream has all of its copies, none of them behind. */
  async isWhole(): Promise<boolean> {
    for (const stream of ['HF_EVENTS', 'HF_FRAMES', 'HF_OUTPUT', 'HF_LEASES']) {
      const info = await this.#info(stream);
      const replicas = info?.cluster?.replicas ?? [];
      const areCurrent = replicas.every(({ current, offline }) => current === true && !offline);
      if (info?.cluster?.leader === undefined || replicas.length !== 2 || !areCurrent) return false;
    }
    return true;
  }

  /** Which of the two replicas holds the lock of its kind. */
  async active(service: 'projector' | 'reconciler'): Promise<string> {
    return waitUntil(`an active ${service}`, async () => {
      for (const name of [service, `${service}-2`]) {
        const checks = await this.checks(name);
        const detail = JSON.stringify(checks?.[service === 'projector' ? 'projections' : 'sweep']);
        if (/"(following|active)"/.test(detail ?? '')) return name;
      }
      return undefined;
    });
  }

  /** What a service says of itself on its own port; nothing when it does not answer. */
  async checks(name: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const file = join(this.folder, 'home', 'run', `${name}.port`);
    try {
      const port = (await readFile(file, 'utf8')).trim();
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      const body = (await answer.json()) as { readonly checks: Readonly<Record<string, unknown>> };
      return body.checks;
    } catch {
      return undefined;
    }
  }

  /** How far the read models are behind, ms, as a gateway says; nothing when it can't be asked now. */
  async rowsBehindMs(): Promise<number | undefined> {
    for (const client of this.clients) {
      // eslint-disable-next-line holdfast/no-silent-catch -- the other gateway, or the next look, may have an answer.
      const answer = await client.send<Readiness>('/readyz', {}).catch(() => undefined);
      if (typeof answer?.body.projectionLagMs === 'number') return answer.body.projectionLagMs;
    }
    return undefined;
  }

  /** Ends every process; logs and stores stay. */
  async stop(): Promise<void> {
    await this.far.close();
    await this.stream.close();
    await this.link.close();
    await this.stack.stop();
  }

  async destroy(): Promise<void> {
    await this.stop();
    await this.stack.destroy();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #peers(): Promise<StreamPeers | undefined> {
    const cluster = (await this.#info('HF_EVENTS'))?.cluster;
    if (cluster?.leader === undefined) return undefined;
    const online = (cluster.replicas ?? []).filter(({ current }) => current === true);
    return {
      leader: processOf(cluster.leader),
      followers: online.map(({ name }) => processOf(name)),
    };
  }

  async #info(stream: string): Promise<StreamInfo | undefined> {
    try {
      const { connection } = this.link;
      const reply = await connection.request(`$JS.API.STREAM.INFO.${stream}`, '', {
        timeout: ANSWER_MAX_MS,
      });
      return JSON.parse(new TextDecoder().decode(reply.data)) as StreamInfo;
    } catch {
      return undefined;
    }
  }
}

interface Readiness {
  readonly projectionLagMs?: number | null;
}

interface StreamInfo {
  readonly cluster?: {
    readonly leader?: string;
    readonly replicas?: readonly {
      readonly name: string;
      readonly current?: boolean;
      readonly offline?: boolean;
    }[];
  };
}

/** `holdfast-1a2b3c4d-2` is the server of the process `nats-server-2`. */
const processOf = (server: string): string => `nats-server-${server.split('-').at(-1) ?? ''}`;

const ledgerOf = (folder: string): string => join(folder, 'ledger.jsonl');

const nodeOf = (id: 'n1' | 'n2', folder: string): LocalNode => ({
  id,
  name: id,
  workspace: 'main',
  capabilities: [],
  capacity: 4,
  maxRuns: 64,
  agents: [
    {
      name: `ledger-${id}`,
      runtime: 'cli',
      argv: [
        '/bin/sh',
        join(CHECKOUT, 'test-e2e/cluster/ledger-agent.sh'),
        ledgerOf(folder),
        '{prompt}',
      ],
      promptBy: 'argument',
    },
  ],
});
