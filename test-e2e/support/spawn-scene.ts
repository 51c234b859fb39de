import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { waitUntil } from '#testing';
import { putBehindProxy, type BehindProxy } from './behind-proxy.js';
import { EFFECTS, killAtEffect } from './kill-points.js';
import type { Route, StrictAnswer, StrictFacts } from './spawn-caller.js';
import { SpawnFixture, type Replicas } from './spawn-fixture.js';
import type { NodeId } from './spawn-nodes.js';
import { slotEventsOf, spawnsOf } from './spawn-streams.js';

/** A call whose process was killed, and the claim that it left. */
export interface Left {
  readonly key: string;
  readonly facts: StrictFacts;
  readonly spawnId: string;
}

export type Effect = keyof typeof EFFECTS;

/**
 * A system in which the services that carry spawns out can be killed at the point that is meant: each of them hears what the
 * broker says through a proxy.
 */
export class SpawnScene {
  private constructor(
    readonly fixture: SpawnFixture,
    readonly commands: BehindProxy,
    readonly sagas: BehindProxy,
    readonly node: BehindProxy,
  ) {}

  static async start(
    windows: Readonly<Record<string, number>>,
    replicas: Replicas = {},
  ): Promise<SpawnScene> {
    const fixture = await SpawnFixture.start(windows, replicas);
    const commands = await putBehindProxy(fixture, 'commands');
    const sagas = await putBehindProxy(fixture, 'sagas');
    const node = await putBehindProxy(fixture, 'node-agent-n1');
    const scene = new SpawnScene(fixture, commands, sagas, node);
    await fixture.untilStarted(await scene.invoke());
    await scene.settle(); // Nothing but what a test does is stored from here on.
    return scene;
  }

  async destroy(): Promise<void> {
    for (const service of [this.node, this.sagas, this.commands]) await service.close();
    await this.fixture.destroy();
  }

  /** Everybody is up and hears everything again; what was begun comes to its end. Then everything must hold, and no place be taken. */
  async settle(): Promise<void> {
    for (const service of [this.commands, this.sagas, this.node]) {
      service.proxy.deliverAll();
      service.start();
      service.signal('SIGCONT');
    }
    await this.ordersAreTaken(); // One that comes now must not start anything after the look.
    expect(await this.fixture.violations()).toEqual([]);
    await this.fixture.untilFree('n1');
    await waitUntil('calls to be answered', async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- whoever is starting is asked again.
      const answer = await this.fixture.caller.nats('replay', randomUUID(), null).catch(() => null);
      return answer?.code === 'invocation_not_found';
    });
  }

  /** One call that is answered. @returns its spawn */
  async invoke(facts: Partial<StrictFacts> = {}): Promise<string> {
    const given = { task: this.fixture.task(), ...facts };
    return (await this.fixture.caller.insist('invoke', randomUUID(), given)).view.invocation_id;
  }

  async idOfKey(key: string): Promise<string | undefined> {
    const spawns = [...spawnsOf(await this.fixture.stream.all()).values()];
    return spawns.find(({ request }) => request.key === key)?.spawnId;
  }

  /**
   * Calls once, and kills the process that carries the call out. It stays down, the sagas are frozen: nobody moves the claim
   * on.
   */
  async killedAfter(effect: Effect, facts: Partial<StrictFacts> = {}): Promise<Left> {
    this.sagas.signal('SIGSTOP');
    const key = randomUUID();
    const given = { task: this.fixture.task(), ...facts };
    await killAtEffect(this.commands, EFFECTS[effect], () =>
      this.fixture.caller.nats('invoke', key, given),
    );
    const spawnId = await this.idOfKey(key);
    if (spawnId === undefined) throw new Error('the claim was not stored');
    return { key, facts: given, spawnId };
  }

  /** What outsiders see of a claim. */
  async standing(spawnId: string) {
    const [held, frames, { status }] = await Promise.all([
      this.fixture.heldOn('n1'),
      this.fixture.framesOf(spawnId),
      this.fixture.spawn(spawnId),
    ]);
    return { status, held: held.includes(spawnId), frames: frames.length };
  }

  /** The same call again, until it is answered. */
  repeat({ key, facts }: Pick<Left, 'key' | 'facts'>, route: Route) {
    return this.fixture.caller.insist(route, key, route === 'invoke' ? facts : null);
  }

  /** The same call again, until it is refused; a service that is still starting is asked once more. */
  refusalOf({ key, facts }: Pick<Left, 'key' | 'facts'>): Promise<StrictAnswer> {
    return waitUntil('a refusal', async () => {
      // eslint-disable-next-line holdfast/no-silent-catch -- it is asked again until the service is up.
      const answer = await this.fixture.caller.nats('invoke', key, facts).catch(() => undefined);
      return answer?.code === 'unavailable' ? undefined : answer;
    });
  }

  /**
   * An order that came after all: waits until the node has acknowledged every order, and has said what it did with this
   * one. To be called before it is delivered.
   *
   * @returns waits for that; what the node said.
   */
  heardOfOrder(spawnId: string): () => Promise<string> {
    let said: string | undefined;
    this.commands.proxy.lose(({ subject, payload }) => {
      if (subject.startsWith('hf.cmd.spawns.report.') && payload.includes(spawnId))
        said ??= payload;
      return false;
    });
    return async () => {
      await this.ordersAreTaken();
      return waitUntil('what the node says of it', () => said);
    };
  }

  private ordersAreTaken(): Promise<boolean> {
    return waitUntil(
      'n1 to have acknowledged every order',
      async () => (await this.fixture.broker.ordersOpenFor('n1')) === 0,
    );
  }

  until(spawnId: string, status: 'pending' | 'dispatched' | 'claimed' | 'completed' | 'failed') {
    return this.fixture.until(spawnId, status, (spawn) => spawn.status === status);
  }

  /** Its next incarnation calls itself something else. */
  async renameNode(name: string): Promise<void> {
    await this.fixture.writeName('n1', name);
    await this.node.killAndRestart();
    await waitUntil(`the node to be called ${name}`, async () => {
      const node = await this.fixture.client.node('n1');
      return node.name === name && node.liveness === 'alive';
    });
  }

  /** Takes a node out of service, or puts it back. */
  async serve(node: NodeId, how: 'drain' | 'return'): Promise<void> {
    const path = `/v1/nodes/${node}/${how}`;
    const body = { reason: 'a test says so' };
    const { status } = await this.fixture.client.insist(path, body, randomUUID());
    expect(status).toBe(200);
  }

  /** Whose orders were ever sent to a node. */
  async ordersOf(node: NodeId): Promise<readonly string[]> {
    const frames = await this.fixture.broker.frames();
    return frames.filter((frame) => frame.node === node).map(({ work }) => work);
  }

  /** The reasons that were given when something was recorded of a spawn. */
  async reasonsOf(
    spawnId: string,
    type: 'SpawnReservationReleaseDecided' | 'SpawnDispatchRevoked',
  ): Promise<readonly string[]> {
    const events = await this.fixture.eventsOf(spawnId);
    return events.flatMap((event) => (event.type === type ? [event.data.reason] : []));
  }

  /** How often something is recorded of a spawn, or of its places. */
  async count(spawnId: string, type: string): Promise<number> {
    const own = (await this.fixture.eventsOf(spawnId)).map((event): string => event.type);
    const places = slotEventsOf(await this.fixture.stream.all(), spawnId);
    return [...own, ...places.map((event) => event.type)].filter((one) => one === type).length;
  }

  /** One claim, one order and one agent, on its node; and so many places, one after the other. */
  async isStartedOnce(spawnId: string, { places = 1 } = {}): Promise<void> {
    const { fixture } = this;
    await fixture.untilStarted(spawnId);
    expect(await fixture.agentsOf(spawnId)).toBe(1);
    expect(await fixture.framesOf(spawnId)).toMatchObject([{ node: 'n1', generation: 1 }]);
    for (const type of ['SpawnClaimed', 'SpawnDispatched', 'SpawnFrameClaimed', 'SpawnCompleted'])
      expect([type, await this.count(spawnId, type)]).toEqual([type, 1]);
    expect(await this.count(spawnId, 'SlotReserved')).toBe(places);
    await waitUntil(
      'its place to be its agent’s',
      async () => (await this.count(spawnId, 'SlotOccupied')) === 1,
    );
  }
}
