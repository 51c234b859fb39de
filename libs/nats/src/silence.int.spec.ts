import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { TcpDoor, natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { RequestClient } from './request-client.js';
import { RequestServer } from './serve.js';

/** A closed door is to each side what a frozen process on the other side is: connected, and silent. */
describe('silence', () => {
  let one: NatsServerUnderTest;
  let other: NatsServerUnderTest;
  let door: TcpDoor;
  beforeAll(async () => {
    [one, other] = await Promise.all([natsServerUnderTest(), natsServerUnderTest()]);
    door = await TcpDoor.open('127.0.0.1', one.server.port);
  }, 120_000);
  afterAll(async () => {
    await door.close();
    await one.stop();
    await other.stop();
  });

  const behindDoor = (): string => `nats://127.0.0.1:${String(door.port)}`;
  const serving = async (link: NatsLink, name: string): Promise<RequestServer> => {
    const server = new RequestServer(link, { queue: 'replicas', onUnexpected: () => undefined });
    server.serve('q.who', async () => name);
    await server.ready();
    return server;
  };

  it('of one replica costs requests for a while, not for as long as it lasts', async () => {
    const hanging = await connectLink({ url: behindDoor(), name: 'hangs' });
    const sound = await connectLink({ url: one.url, name: 'answers' });
    await serving(hanging, 'hangs');
    await serving(sound, 'answers');
    const client = new RequestClient(sound);
    const ask = () => client.request('q.who', {}, { timeoutMs: 200 });
    await waitUntil('both to be asked', async () => {
      const answer = await ask();
      return answer.kind === 'answer' && answer.value === 'hangs';
    });
    door.shut();
    // Half of the requests go to each: twenty answers in a row are no luck.
    let inARow = 0;
    await waitUntil('requests to go where they are answered', async () => {
      inARow = (await ask()).kind === 'answer' ? inARow + 1 : 0;
      return inARow === 20;
    });
    door.reopen();
    await hanging.close();
    await sound.close();
  }, 60_000);

  it('of one server is left for another one, though it still accepts connections', async () => {
    const url = `${behindDoor()},${other.url}`;
    // Which of them a client picks first is chance.
    const link = await waitUntil('a connection through the door', async () => {
      const candidate = await connectLink({ url, name: 'leaves' });
      if (candidate.connection.getServer() === new URL(behindDoor()).host) return candidate;
      await candidate.close();
      return undefined;
    });
    door.shut();
    await waitUntil(
      'the other server to be found',
      () => link.isConnected && link.connection.getServer() === new URL(other.url).host,
      18_000, // The client's own time limit for one attempt alone is 20 s.
    );
    door.reopen();
    await link.close();
  }, 60_000);
});
