import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { InMemoryEventStore } from '#event-store/in-memory';
import type { EventStore } from '#event-store';
import { Database } from '../database.js';
import { ChangeCounterEntity } from './change-counter.entity.js';
import { CheckpointEntity } from './checkpoint.entity.js';
import { RowTable } from './row-table.js';
import type { RowProjector } from './row-fold.js';
import { TableProjection } from './table-projection.js';
import { TIME } from './time-column.js';

/** A read model that shows each commit that was lost or counted twice. */
export interface TallyRow {
  readonly workspace: string;
  readonly id: string;
  readonly total: number;
  readonly note: string;
  readonly at: number | null;
  readonly marks: unknown;
  readonly sequence: number;
}

@Entity('tally')
@Index('tally_change', ['workspace', 'change'])
export class TallyEntity implements TallyRow {
  @PrimaryColumn('text')
  workspace!: string;
  @PrimaryColumn('text')
  id!: string;
  @Column('integer')
  total!: number;
  @Column('text')
  note!: string;
  @Column('timestamptz', { nullable: true, transformer: TIME })
  at!: number | null;
  @Column('jsonb', { nullable: true })
  marks!: unknown;
  @Column('bigint')
  sequence!: number;
  @Column('bigint')
  change!: number;
}

export interface Added {
  readonly type: 'Added';
  readonly data: { readonly amount: number; readonly note?: string; readonly at?: number };
}

export const tallyOf = (name: string, aggregate = 'tally'): RowProjector<TallyRow> => ({
  name,
  aggregates: [aggregate],
  keysOf: ({ ref: { workspace, id } }) => [{ workspace, id }],
  project: (row, { ref: { workspace, id }, events, revision: sequence }) =>
    (events as readonly Added[]).reduce<TallyRow>(
      (before, { data: { amount, note, at } }) => ({
        ...before,
        total: before.total + amount,
        note: note ?? before.note,
        at: at ?? before.at,
        marks: { amount },
        sequence,
      }),
      row ?? { workspace, id, total: 0, note: '', at: null, marks: null, sequence: 0 },
    ),
});

export const openTallies = async (url: string, applicationName = 'tally'): Promise<Database> =>
  Database.open({
    url,
    applicationName,
    entities: [CheckpointEntity, ChangeCounterEntity, TallyEntity],
  });

/** Makes the tables, empty. */
export const makeTables = async (database: Database): Promise<void> => {
  await database.dataSource.synchronize(true);
  await database.sql.execute('INSERT INTO change_counter (id, value) VALUES (true, 0)');
};

export const tallyProjection = (
  { dataSource }: Database,
  projector = tallyOf('tally'),
): TableProjection<TallyRow> =>
  new TableProjection(projector, new RowTable(dataSource.getMetadata(TallyEntity)));

/** Appends one commit to an aggregate, after whatever it has. */
export const add = async (
  store: EventStore,
  id: string,
  data: Added['data'] | readonly Added['data'][],
  aggregate = 'tally',
): Promise<number> => {
  const ref = { aggregate, workspace: 'main', id };
  const commits = await store.read(ref, { consistency: 'leader' });
  const expected = commits[commits.length - 1]?.revision ?? 0;
  const { revision } = await store.append({
    ref,
    expected,
    commandId: `${id}-${expected}`,
    events: [data].flat().map((one) => ({ type: 'Added', data: one })),
    metadata: { command: 'Add', actor: 'test' },
  });
  return revision;
};

/** A store in memory whose epoch can be moved on, as by a restore. */
export class RestorableStore extends InMemoryEventStore {
  /** Replaces the whole content by that of another store. */
  restoreFrom(other: RestorableStore): void {
    this.log.splice(0, this.log.length, ...other.log);
    this.passDuplicateWindow();
  }
}
