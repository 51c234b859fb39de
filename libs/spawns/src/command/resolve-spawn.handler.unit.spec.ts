import { describe, expect, it } from '@jest/globals';
import { ResolveSpawnRequest } from '#contracts/requests';
import { AggregateStore } from '#event-store';
import { InMemoryEventStore } from '#event-store/in-memory';
import { UNKNOWN, spawnId } from '../domain/spawn.fixture.js';
import { ResolveSpawnHandler } from './resolve-spawn.handler.js';
import { SpawnWriting } from './spawn-writing.js';
import { ResolveSpawnCommand } from './spawn.commands.js';

const CALLER = { principal: 'user:ada', role: 'operator', workspace: 'main' } as const;

describe('a resolution', () => {
  it('under a key that stands for another one is refused, and leaves that as it is', async () => {
    const clock = { now: () => 50_000 };
    const events = new InMemoryEventStore(clock.now);
    const ref = { aggregate: 'spawn', workspace: 'main', id: spawnId };
    const metadata = { command: 'Test', actor: 'test' };
    await events.append({ ref, expected: 0, commandId: 'given', events: UNKNOWN, metadata });
    const epochs = { epoch: () => Promise.resolve(1) };
    const handler = new ResolveSpawnHandler(
      new SpawnWriting(new AggregateStore(events), epochs, clock),
    );
    const resolve = (as: 'stop' | 'free', key: string) =>
      handler.execute(
        new ResolveSpawnCommand(
          CALLER,
          key,
          Object.assign(new ResolveSpawnRequest(), { spawnId, as, note: 'looked at it' }),
          {},
        ),
      );
    expect(await resolve('stop', 'one')).toMatchObject({ replayed: false });
    expect(await resolve('stop', 'one')).toMatchObject({ replayed: true });
    await expect(resolve('free', 'one')).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect(await resolve('free', 'two')).toMatchObject({ value: { resolution: 'free' } });
  });
});
