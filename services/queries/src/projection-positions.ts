import { Inject, Injectable } from '@nestjs/common';
import type { ProjectionView } from '#contracts';
import { EVENT_STORE, type EventStore } from '#event-store';
import { CLOCK, type Clock } from '#kernel';
import { Database } from '#postgres';

interface CheckpointRow {
  readonly name: string;
  readonly generation: string;
  readonly epoch: number;
  readonly sequence: string;
  readonly finding: string | null;
  readonly stored_at: Date | null;
  readonly updated_at: Date;
}

/** Reads how far each read model has come. */
@Injectable()
export class ProjectionPositions {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'end'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async all(): Promise<readonly ProjectionView[]> {
    // The rows first: an end that was read before them could lie behind their positions.
    const rows = await this.database.sql.query<CheckpointRow>(
      `SELECT name, generation, epoch, sequence, finding, stored_at, updated_at
       FROM projection_checkpoint ORDER BY name, generation`,
    );
    const end = await this.events.end();
    return rows.map((row) => this.viewOf(row, end));
  }

  private viewOf(row: CheckpointRow, end: number): ProjectionView {
    const position = Number(row.sequence);
    const lag = Math.max(0, end - position);
    return {
      name: row.name,
      generation: row.generation,
      epoch: row.epoch,
      position,
      end,
      lag,
      lagMs: lag === 0 || row.stored_at === null ? 0 : this.clock.now() - row.stored_at.getTime(),
      finding: row.finding,
      updatedAt: row.updated_at.toISOString(),
    };
  }
}
