import { Inject, Injectable } from '@nestjs/common';
import type { ChangeView } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asker } from '../http/caller.js';
import { Identities } from '../upstream/identities.js';
import { ServiceClient } from '../upstream/service.client.js';
import { EventStream } from './event-stream.js';
import { STREAM_PACE, type StreamPace } from './stream-pace.js';
import { StreamRegistry } from './stream-registry.js';
import { WorkspaceChanges } from './workspace-changes.js';

/** What `hf.qry.changes.list` answers. */
interface ChangesAnswer {
  readonly items: readonly ChangeView[];
  readonly next: number;
}

/** Streams of changes: the viewers of one workspace share one poller. */
@Injectable()
export class ChangeStreams {
  /** Kept for good: one small object for each workspace that was ever watched through this gateway. */
  private readonly workspaces = new Map<string, WorkspaceChanges>();

  constructor(
    @Inject(ServiceClient) private readonly services: ServiceClient,
    @Inject(Identities) private readonly identities: Identities,
    @Inject(StreamRegistry) private readonly registry: StreamRegistry,
    @Inject(STREAM_PACE) private readonly pace: StreamPace,
  ) {}

  /** @throws Refusal or ServiceRefusal before anything was sent. */
  async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    asker: Asker,
    since: number | undefined,
  ): Promise<void> {
    this.registry.admit(asker.token);
    const { workspace } = await this.identities.of(asker);
    const stream = EventStream.open(request, reply, this.pace);
    this.registry.add(stream, asker.token);
    const changes = this.workspaces.get(workspace) ?? this.watch();
    this.workspaces.set(workspace, changes);
    await changes.serve(stream, asker, since);
  }

  private watch(): WorkspaceChanges {
    return new WorkspaceChanges({
      pace: this.pace,
      stillAllowed: async (asker) => {
        await this.identities.of(asker);
      },
      read: async (asker, after) => {
        const body = after === undefined ? {} : { after };
        const { items, next } = await this.services.query<ChangesAnswer>(
          'hf.qry.changes.list',
          asker,
          body,
        );
        return { from: after ?? next, to: next, items };
      },
    });
  }
}
