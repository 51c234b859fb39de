import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Commit } from '#event-store';
import { findAllWork } from '#execution/process';
import { fold } from '#kernel';
import { startLocalStack, type LocalNode, type LocalStack } from '#local-stack';
import { connectLink, type FrameAddress, type NatsLink } from '#nats';
import {
  evolveSpawn,
  initialSpawn,
  isUnknown,
  type ExistingSpawn,
  type SpawnEvent,
} from '#spawns/domain';
import { waitUntil } from '#testing/wait-until';
import { BrokerAdmin } from './broker-admin.js';
import { Client } from './client.js';
import type { SeenEvent } from './fixture.js';
import { initialsOf, readLedger, type LedgerLine } from './ledger.js';
import { SpawnCaller } from './spawn-caller.js';
import { openSpawns, spawnViolationsIn, unbalancedPlaces } from './spawn-checks.js';
import { NODES, ledgerOf, nodeOf, readyFileOf, type NodeId } from './spawn-nodes.js';
import { nodesOf, spawnsOf } from './spawn-streams.js';
import { StreamReader } from './stream.js';

/** From the last repair to the last settlement, ms, on a machine that is busy with everything at once. */
const SETTLE_MAX_MS = 60_000;

/** How often everything is read anew, ms: it is a lot. */
const LOOK_EVERY_MS = 50;

/** How many processes of a service there are, where not one. */
export type Replicas = Readonly<Partial<Record<'commands' | 'reconciler', number>>>;

/** Connections of the test's own: as the administrator, and as the gateway. */
interface Links {
  readonly stream: StreamReader;
  readonly broker: BrokerAdmin;
  readonly door: NatsLink;
}

/**
 * A whole system of real processes with two nodes that differ in nothing but their id: whatever is meant for `n1` could be
 * done by its twin as well. Agents write down that they came to life, outside of everything that is killed.
 */
export class SpawnFixture {
  private readonly gates: (() => Promise<void>)[] = [];

  /** With the operator's token. */
  readonly client: Client;
  /** With the agent's token. */
  readonly caller: SpawnCaller;
  readonly stream: StreamReader;
  readonly broker: BrokerAdmin;

  private constructor(
    readonly folder: string,
    readonly stack: LocalStack,
    private readonly links: Links,
    /** What the supervisor saw, and when. */
    readonly events: readonly SeenEvent[],
  ) {
    this.client = new Client(stack.url, stack.operatorToken);
    this.caller = new SpawnCaller(stack.url, stack.agentToken, links.door);
    this.stream = links.stream;
    this.broker = links.broker;
  }

  static async start(
    windows: Readonly<Record<string, number>>,
    replicas: Replicas = {},
  ): Promise<SpawnFixture> {
    // A short path: it holds a unix socket.
    const folder = await mkdtemp(join(tmpdir(), 'hf-'));
    const events: SeenEvent[] = [];
    for (const node of NODES) await writeFile(readyFileOf(folder, node), '');
    const stack = await startLocalStack({
      onEvent: (event) => {
        events.push({ ...event, at: Date.now() });
      },
      home: join(folder, 'home'),
      windows,
      nodes: NODES.map((id) => nodeOf(folder, id)),
      logLevel: 'info',
      replicas,
    });
    const links = {
      stream: await StreamReader.connect(stack.natsUrlFor('admin')),
      broker: await BrokerAdmin.connect(stack.natsUrlFor('admin')),
      door: await connectLink({ url: stack.natsUrlFor('gateway'), name: 'test-caller' }),
    };
    return new SpawnFixture(folder, stack, links, events);
  }

  async destroy(): Promise<void> {
    const { stream, broker, door } = this.links;
    await Promise.all([stream, broker, door].map((link) => link.close()));
    await this.stack.destroy();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Another agent, with a token of its own. */
  async otherCaller(): Promise<SpawnCaller> {
    const body = { principal: `agent:${randomUUID()}`, role: 'agent' };
    const issued = await this.client.insist<{ token: string }>('/v1/tokens', body, randomUUID());
    return new SpawnCaller(this.stack.url, issued.body.token, this.links.door);
  }

  /** The task of an agent that lives until all gates are opened; no two are the same. */
  task(): string {
    const path = join(this.folder, `gate-${randomUUID()}`);
    this.gates.push(() => writeFile(path, ''));
    return `until:${path}`;
  }

  /** All agents of the tasks that were given out come to their end. */
  async openGates(): Promise<void> {
    for (const open of this.gates.splice(0)) await open();
  }

  /** Whether the harness `gated` of a node is ready. */
  async makeReady(node: NodeId, ready: boolean): Promise<void> {
    if (ready) await writeFile(readyFileOf(this.folder, node), '');
    else await rm(readyFileOf(this.folder, node), { force: true });
    await waitUntil(
      `the harness of ${node} to be known as ${ready ? '' : 'not '}ready`,
      async () => {
        // eslint-disable-next-line holdfast/no-silent-catch -- what can't be read now is read at the next look.
        const view = await this.client.node(node).catch(() => undefined);
        return view?.notReady.includes('gated') === !ready;
      },
    );
  }

  /** It calls itself that from its next start on. */
  async writeName(node: NodeId, name: string): Promise<void> {
    const file = join(this.folder, 'home/nodes', node, 'node.json');
    const written = JSON.parse(await readFile(file, 'utf8')) as LocalNode;
    await writeFile(file, JSON.stringify({ ...written, name }));
  }

  /** The agents that came to life, on whichever node. */
  async agentsOf(spawnId: string): Promise<number> {
    return initialsOf((await this.ledgers()).flat(), spawnId);
  }

  async framesOf(spawnId: string): Promise<readonly FrameAddress[]> {
    return (await this.broker.frames()).filter(({ work }) => work === spawnId);
  }

  eventsOf(spawnId: string): Promise<readonly SpawnEvent[]> {
    return this.stream.spawn(spawnId);
  }

  async spawn(spawnId: string): Promise<ExistingSpawn> {
    const spawn = fold(evolveSpawn, initialSpawn(spawnId), await this.eventsOf(spawnId));
    if (spawn.status === 'none') throw new Error(`there is no spawn ${spawnId}`);
    return spawn;
  }

  /** Who holds places of a node, by its own stream. */
  async heldOn(node: NodeId): Promise<readonly string[]> {
    return Object.keys(nodesOf(await this.stream.all()).get(node)?.slots.held ?? {});
  }

  /** Agents that have ended give their places back when their node has said so. */
  async untilFree(node: NodeId): Promise<void> {
    let held: readonly string[] = [];
    await waitUntil(
      `every place of ${node} to be free`,
      async () => {
        held = await this.heldOn(node);
        return held.length === 0;
      },
      SETTLE_MAX_MS,
    ).catch((error: unknown) => {
      throw new Error(`held: ${held.join()}`, { cause: error });
    });
  }

  /** Waits until a spawn is as described; only the condition matters, not how long it takes. */
  async until(
    spawnId: string,
    what: string,
    condition: (spawn: ExistingSpawn) => boolean,
  ): Promise<ExistingSpawn> {
    return waitUntil(
      `spawn ${spawnId} to be ${what}`,
      async () => {
        // eslint-disable-next-line holdfast/no-silent-catch -- what can't be read now is read at the next look.
        const spawn = await this.spawn(spawnId).catch(() => undefined);
        return spawn !== undefined && condition(spawn) ? spawn : undefined;
      },
      SETTLE_MAX_MS,
    );
  }

  /** Its agent was reported, and has written down itself that it lives. */
  async untilStarted(spawnId: string): Promise<void> {
    await this.until(spawnId, 'completed', ({ status }) => status === 'completed');
    await waitUntil('its agent to live', async () => (await this.agentsOf(spawnId)) > 0);
  }

  /** Operator: what becomes of an agent that may be alive. */
  async resolve(spawnId: string, as: 'stop' | 'adopt' | 'free'): Promise<number> {
    const body = { as, note: 'looked at it' };
    const path = `/v1/spawns/${spawnId}/resolution`;
    return (await this.client.insist(path, body, randomUUID())).status;
  }

  /** Ends all agents, waits until everything is settled and given back, and says in words what does not hold. */
  async violations(): Promise<readonly string[]> {
    await this.openGates();
    let open: readonly string[] = [];
    let nextLookMs = 0;
    const look = async (): Promise<boolean> => {
      if (performance.now() < nextLookMs) return false;
      nextLookMs = performance.now() + LOOK_EVERY_MS;
      const commits = await this.stream.all();
      await this.decideOnSurvivors(commits);
      open = [
        ...openSpawns(commits),
        ...unbalancedPlaces(commits),
        ...(await this.notShown(commits)),
      ];
      return open.length === 0;
    };
    try {
      await waitUntil('everything to be settled', () => look().catch(() => false), SETTLE_MAX_MS);
    } catch {
      return open;
    }
    const [n1 = [], n2 = []] = await this.ledgers();
    return [
      ...spawnViolationsIn({
        commits: await this.stream.allAnew(),
        frames: await this.broker.frames(),
        started: { n1: startedIn(n1), n2: startedIn(n2) },
      }),
      ...(await this.leftAlive()),
    ];
  }

  /** An operator ends agents that were seen alive after their callers were told that nobody knows. */
  private async decideOnSurvivors(commits: readonly Commit[]): Promise<void> {
    for (const spawn of spawnsOf(commits).values())
      if (isUnknown(spawn) && spawn.lateAgent === 'lives' && spawn.resolution === null)
        await this.resolve(spawn.spawnId, 'stop');
  }

  /** Places that the read model shows, and the stream does not say, or the other way round. */
  private async notShown(commits: readonly Commit[]): Promise<readonly string[]> {
    const held = Object.keys(nodesOf(commits).get('n1')?.slots.held ?? {}).sort();
    const { slots } = await this.client.node('n1');
    const shown = slots.map(({ spawnId }) => spawnId).sort();
    const same = JSON.stringify(held) === JSON.stringify(shown);
    return same ? [] : [`places shown: ${shown.join()}, held: ${held.join()}`];
  }

  /** Programs of this system's spawns that go on although every gate is open. */
  private async leftAlive(): Promise<readonly string[]> {
    const own = spawnsOf(await this.stream.all());
    const alive = (): readonly string[] =>
      findAllWork()
        .map(({ work }) => work.split('/')[0] ?? '')
        .filter((spawnId) => own.has(spawnId));
    try {
      await waitUntil('every agent to end', () => alive().length === 0);
      return [];
    } catch {
      return alive().map((spawnId) => `an agent of ${spawnId} goes on`);
    }
  }

  private ledgers(): Promise<readonly (readonly LedgerLine[])[]> {
    return Promise.all(NODES.map((node) => readLedger(ledgerOf(this.folder, node))));
  }
}

const startedIn = (ledger: readonly LedgerLine[]): readonly string[] =>
  ledger.filter(({ kind }) => kind === 'initial').map(({ work }) => work.split('/')[0] ?? '');
