import { Inject, Injectable } from '@nestjs/common';
import type { ProjectionView } from '#contracts';
import { EVENT_STORE, type EventStore } from '#event-store';
import { CLOCK, type Clock } from '#kernel';
import { CheckpointEntity, Database } from '#postgres';

/** Reads how far each read model has come. */
@Injectable()
export class ProjectionPositions {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'at' | 'end'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DatabaseUnavailable
   * @throws StoreUnavailable
   */
  async all(): Promise<readonly ProjectionView[]> {
    // The rows first: an end that was read before them could lie behind their positions.
    const checkpoints = await this.database.read((source) =>
      source.getRepository(CheckpointEntity).find({ order: { name: 'ASC', generation: 'ASC' } }),
    );
    const end = await this.events.end();
    return Promise.all(checkpoints.map((one) => this.viewOf(one, end)));
  }

  /** @throws DatabaseUnavailable */
  async names(): Promise<readonly string[]> {
    const rows = await this.database.read((source) =>
      source
        .getRepository(CheckpointEntity)
        .find({ select: { name: true }, order: { name: 'ASC' } }),
    );
    return [...new Set(rows.map(({ name }) => name))];
  }

  private async viewOf(checkpoint: CheckpointEntity, end: number): Promise<ProjectionView> {
    const { name, generation, epoch, sequence: position, finding, updatedAt } = checkpoint;
    const lag = Math.max(0, end - position);
    return {
      name,
      generation,
      epoch,
      position,
      end,
      lag,
      lagMs: lag === 0 ? 0 : await this.ageOf(position + 1),
      finding,
      updatedAt: new Date(updatedAt).toISOString(),
    };
  }

  /** How long ago the first commit was stored that is not contained. The stream has no gaps: it is the next one. */
  private async ageOf(sequence: number): Promise<number> {
    const commit = await this.events.at(sequence);
    return commit === undefined ? 0 : Math.max(0, this.clock.now() - commit.storedAt);
  }
}
