import { connect, type Socket } from 'node:net';

/** Just enough of the NATS protocol to look at a server without any client library. */
export class RawNats {
  private text = '';
  private nextInbox = 0;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (this.text += chunk));
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<RawNats> {
    const { hostname, port, username, password } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const raw = new RawNats(socket);
    const login = username === '' ? {} : { user: username, pass: decodeURIComponent(password) };
    socket.write(
      `CONNECT ${JSON.stringify({ verbose: false, headers: true, ...login })}\r\nPING\r\n`,
    );
    await raw.seen(/PONG|-ERR/);
    return raw;
  }

  /** Sends a request and resolves with the body of the reply, or with the error that the server sends. */
  async request(subject: string, body: string): Promise<string> {
    const inbox = `_INBOX.raw.${(this.nextInbox += 1)}`;
    this.text = '';
    this.socket.write(`SUB ${inbox} ${this.nextInbox}\r\n`);
    this.socket.write(`PUB ${subject} ${inbox} ${Buffer.byteLength(body)}\r\n${body}\r\n`);
    await this.seen(/MSG [^\r]*\r\n[^\r]*\r\n|-ERR [^\r]*\r\n/);
    return this.text;
  }

  get received(): string {
    return this.text;
  }

  close(): void {
    this.socket.destroy();
  }

  private seen(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(this.text)) return;
        this.socket.off('data', look);
        resolve();
      };
      this.socket.on('data', look);
      this.socket.once('close', () => {
        look();
        reject(new Error(`closed after ${this.text}`));
      });
      look();
    });
  }
}
