import {
  connectLink,
  frameConsumerName,
  parseFrameSubject,
  type FrameAddress,
  type NatsLink,
} from '#nats';

const ASK_MAX_MS = 5_000;

interface StreamInfo {
  readonly config: Readonly<Record<string, unknown>>;
  readonly state: {
    readonly messages: number;
    readonly subjects?: Readonly<Record<string, number>>;
  };
}

interface ConsumerInfo {
  /** Not handed out yet. */
  readonly num_pending: number;
  /** Handed out, and not acknowledged. */
  readonly num_ack_pending: number;
}

/** The broker as its administrator sees it: what is stored, past every service. */
export class BrokerAdmin {
  private constructor(readonly link: NatsLink) {}

  static async connect(url: string): Promise<BrokerAdmin> {
    return new BrokerAdmin(await connectLink({ url, name: 'test-admin' }));
  }

  close(): Promise<void> {
    return this.link.close();
  }

  /** Every frame that was ever stored: the stream forgets none. */
  async frames(): Promise<readonly FrameAddress[]> {
    const { state } = await this.ask<StreamInfo>('STREAM.INFO.HF_FRAMES', {
      subjects_filter: 'hf.frame.>',
    });
    return Object.entries(state.subjects ?? {}).flatMap(([subject, count]) => {
      const address = parseFrameSubject(subject);
      return address === undefined ? [] : Array.from({ length: count }, () => address);
    });
  }

  /** Orders that a node has not been given, or has not acknowledged. */
  async ordersOpenFor(node: string): Promise<number> {
    const durable = frameConsumerName('main', node);
    const { num_pending: waiting, num_ack_pending: inWork } = await this.ask<ConsumerInfo>(
      `CONSUMER.INFO.HF_FRAMES.${durable}`,
      {},
    );
    return waiting + inWork;
  }

  /** The event store takes so many commits more, and refuses every further one, as a full disk does. */
  async leaveRoomFor(commits: number): Promise<void> {
    const { config, state } = await this.ask<StreamInfo>('STREAM.INFO.HF_EVENTS', {});
    await this.updateEvents({ ...config, max_msgs: state.messages + commits });
  }

  /** It takes any number again. */
  async leaveRoom(): Promise<void> {
    const { config } = await this.ask<StreamInfo>('STREAM.INFO.HF_EVENTS', {});
    await this.updateEvents({ ...config, max_msgs: -1 });
  }

  private async updateEvents(config: StreamInfo['config']): Promise<void> {
    await this.ask('STREAM.UPDATE.HF_EVENTS', config);
  }

  private async ask<Reply = unknown>(what: string, body: unknown): Promise<Reply> {
    const data = new TextEncoder().encode(JSON.stringify(body));
    const { data: bytes } = await this.link.connection.request(`$JS.API.${what}`, data, {
      timeout: ASK_MAX_MS,
    });
    const reply = JSON.parse(new TextDecoder().decode(bytes)) as Reply & { error?: unknown };
    if (reply.error !== undefined) throw new Error(`${what}: ${JSON.stringify(reply.error)}`);
    return reply;
  }
}
