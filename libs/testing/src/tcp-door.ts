import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Passes TCP on to one port of this machine, until it is shut: then nothing passes and nothing is refused, as behind a cut cable. */
export class TcpDoor {
  private readonly sockets = new Set<Socket>();
  private isShut = false;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param host where it listens; it leads to `127.0.0.1:targetPort`. */
  static async open(host: string, targetPort: number): Promise<TcpDoor> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    const door = new TcpDoor(server, (server.address() as AddressInfo).port);
    server.on('connection', (outer) => {
      door.pass(outer, connect({ host: '127.0.0.1', port: targetPort }));
    });
    return door;
  }

  shut(): void {
    this.isShut = true;
    for (const socket of this.sockets) socket.pause();
  }

  reopen(): void {
    this.isShut = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private pass(outer: Socket, inner: Socket): void {
    const both = [outer, inner] as const;
    const end = (): void => {
      for (const socket of both) {
        socket.destroy();
        this.sockets.delete(socket);
      }
    };
    const carry = (from: Socket, to: Socket): void => {
      this.sockets.add(from);
      from.setNoDelay(true).on('error', end).on('close', end);
      from.on('data', (bytes) => void to.write(bytes));
      if (this.isShut) from.pause();
    };
    carry(outer, inner);
    carry(inner, outer);
  }
}
