/** One protocol message from a nats-server to its client. */
export interface ServerFrame {
  /** `MSG` and `HMSG` carry a payload; `INFO`, `PING`, `PONG`, `+OK` and `-ERR` are lines. */
  readonly kind: string;
  /** Of a delivered message; empty for lines. */
  readonly subject: string;
  /** The message's body without its headers; empty for lines. */
  readonly payload: string;
  /** Everything, as it goes over the wire. */
  readonly bytes: Buffer;
}

/** Cuts a nats-server's byte stream into its protocol messages. */
export class ServerFrames {
  private rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete with this chunk. */
  push(chunk: Buffer): ServerFrame[] {
    this.rest = Buffer.concat([this.rest, chunk]);
    const frames: ServerFrame[] = [];
    for (let frame = this.next(); frame !== undefined; frame = this.next()) frames.push(frame);
    return frames;
  }

  private next(): ServerFrame | undefined {
    const lineEnd = this.rest.indexOf('\r\n');
    if (lineEnd < 0) return undefined;
    const [kind = '', subject = '', ...others] = this.rest
      .subarray(0, lineEnd)
      .toString()
      .split(/\s+/);
    if (kind !== 'MSG' && kind !== 'HMSG') return this.cut(lineEnd + 2, kind, '', '');
    const size = Number(others[others.length - 1]);
    const headerSize = kind === 'HMSG' ? Number(others[others.length - 2]) : 0;
    const end = lineEnd + 2 + size + 2;
    if (this.rest.length < end) return undefined;
    const payload = this.rest.subarray(lineEnd + 2 + headerSize, end - 2).toString();
    return this.cut(end, kind, subject, payload);
  }

  private cut(end: number, kind: string, subject: string, payload: string): ServerFrame {
    const bytes = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end);
    return { kind, subject, payload, bytes };
  }
}
