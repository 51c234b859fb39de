import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ServerFrames, type ServerFrame } from './nats-frames.js';

/** Decides over one message from the server: `true` loses it. */
export type Losing = (frame: ServerFrame) => boolean;

/**
 * Stands between a NATS client and its server, and loses what the server says: whole protocol messages, never bytes,
 * so that the client sees silence and not a broken stream.
 */
export class LossyProxy {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private losing: Losing = () => false;
  /** How many messages were lost so far. */
  lost = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  /** @param targetUrl where the real server listens, such as `nats://127.0.0.1:4222`. */
  static async start(targetUrl: string): Promise<LossyProxy> {
    const { hostname, port } = new URL(targetUrl);
    const server = createServer();
    const proxy = new LossyProxy(server, { host: hostname, port: Number(port) });
    server.on('connection', (client) => proxy.accept(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Where clients connect to. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `nats://127.0.0.1:${port}`;
  }

  /** Loses what the predicate says, from now on. */
  lose(losing: Losing): void {
    this.losing = losing;
  }

  /** Loses the next `count` acknowledgements of publishes into streams. */
  losePublishAcks(count: number): void {
    let left = count;
    this.lose((frame) => {
      if (left === 0 || !isPublishAck(frame)) return false;
      left -= 1;
      return true;
    });
  }

  /** Loses nothing any more. */
  deliverAll(): void {
    this.lose(() => false);
  }

  /** Breaks every connection that is open now. Clients may connect again. */
  cut(): void {
    for (const [client, upstream] of [...this.pairs]) {
      client.destroy();
      upstream.destroy();
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    const upstream = connect(this.target);
    const pair = [client, upstream] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end).setNoDelay(true);
    const frames = new ServerFrames();
    client.on('data', (chunk) => void upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => {
      for (const frame of frames.push(chunk)) this.pass(frame, client);
    });
  }

  private pass(frame: ServerFrame, client: Socket): void {
    if (this.losing(frame)) this.lost += 1;
    else client.write(frame.bytes);
  }
}

/** An acknowledgement names the stream and the sequence, and nothing else does in this way. */
export const isPublishAck = ({ kind, payload }: ServerFrame): boolean =>
  (kind === 'MSG' || kind === 'HMSG') && /^\{"stream":"[^"]+",.*"seq":\d+/.test(payload);
