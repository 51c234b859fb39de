import { headers } from '@nats-io/transport-node';
import { hashOf } from '#event-store';
import type { NodeId, WorkspaceId } from '#kernel';
import type { NatsLink } from './connection.js';
import { DurablePublisher, type PublisherOptions } from './durable-publisher.js';
import { PullConsumption, ensureConsumer, type ConsumptionOptions } from './pull-consumption.js';
import { frameSubject, parseFrameSubject, type FrameAddress } from './subjects.js';
import { STREAM } from './names.js';
import { frameConsumer, type ConsumerWindows } from './topology.js';

/** Puts frames on their way. Each address takes one frame, once and for all: whoever is second finds it there. */
export class FramePublisher {
  private readonly publisher: DurablePublisher;

  constructor(link: NatsLink, options: PublisherOptions = {}) {
    this.publisher = new DurablePublisher(link, options);
  }

  /**
   * @param body JSON of the frame.
   * @returns `published` by this call, or `already-there` (perhaps by an attempt of this call whose answer was lost).
   * @throws AppendFailed it may be there (`unknown`) or is certainly not. Publishing again is always safe.
   */
  async publish(address: FrameAddress, body: object): Promise<'published' | 'already-there'> {
    const subject = frameSubject(address);
    const data = new TextEncoder().encode(JSON.stringify(body));
    const encoded = headers();
    encoded.set('Nats-Msg-Id', hashOf(new TextEncoder().encode(subject)));
    encoded.set('Nats-Expected-Last-Subject-Sequence', '0');
    encoded.set('Nats-Expected-Stream', STREAM.frames);
    const published = await this.publisher.publish({ subject, data, headers: encoded });
    return published.kind === 'written' ? 'published' : 'already-there';
  }
}

/** One delivery of a frame to its node. It comes again until it is `done`, over restarts of the node too. */
export interface FrameDelivery {
  readonly address: FrameAddress;
  /** The frame's JSON; undefined when its bytes are no JSON. */
  readonly body: unknown;
  readonly sequence: number;
  /** Counts from 1. */
  readonly deliveryCount: number;
  /** The node has journalled it: it need not come again. */
  done(): Promise<void>;
  /** Brings it again after `delayMs`, at most 30,000. */
  later(delayMs: number): void;
}

/** Makes the consumer through which a node takes its frames. For services: a node may not make its own. */
export const ensureFrameConsumer = async (
  link: NatsLink,
  workspace: WorkspaceId,
  node: NodeId,
  windows: ConsumerWindows,
): Promise<void> => ensureConsumer(link, frameConsumer(workspace, node, windows));

/** A node's frames, in the order of their publication, each until it is done. */
export class FrameFeed {
  constructor(
    private readonly link: NatsLink,
    private readonly windows: ConsumerWindows,
    private readonly options: ConsumptionOptions = {},
  ) {}

  /**
   * @param concurrency how many frames are handled at a time.
   * @throws ConsumerMissing nobody has made the node's consumer yet: it joins first.
   */
  async subscribe(options: {
    readonly workspace: WorkspaceId;
    readonly node: NodeId;
    readonly concurrency: number;
    readonly handle: (delivery: FrameDelivery) => Promise<void>;
  }): Promise<{ stop(): Promise<void> }> {
    const consumer = frameConsumer(options.workspace, options.node, this.windows);
    const consumption = new PullConsumption(
      this.link,
      { ...consumer, workingMs: this.windows.workingMs, concurrency: options.concurrency },
      async (message) => {
        const address = parseFrameSubject(message.subject);
        if (address === undefined) return message.done(); // The stream's subjects make this impossible; nothing could handle it.
        await options.handle({ ...message, address, body: parseJson(message.data) });
      },
      this.options,
    );
    await consumption.start();
    return consumption;
  }
}

const parseJson = (data: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
};
