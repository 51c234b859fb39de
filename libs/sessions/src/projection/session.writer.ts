import { RowTable, TableProjection, type Database, type RowProjector } from '#postgres';
import type { SessionEvent } from '../domain/index.js';
import { SessionViewEntity } from './session-view.entity.js';
import type { SessionRow } from './session-view.row.js';
import { projectSession } from './session.projector.js';

export const SESSIONS_PROJECTION = 'sessions';

export const SESSION_ROWS: RowProjector<SessionRow> = {
  name: SESSIONS_PROJECTION,
  aggregates: ['session'],
  keysOf: ({ ref: { workspace, id } }) => [{ workspace, sessionId: id }],
  project: (row, { ref: { workspace }, events, revision: sequence }) =>
    (events as readonly SessionEvent[]).reduce<SessionRow | undefined>(
      (before, event) => projectSession(before, event, { workspace, sequence }) ?? before,
      row,
    ),
};

export const sessionsProjection = ({
  dataSource,
}: Pick<Database, 'dataSource'>): TableProjection<SessionRow> =>
  new TableProjection(SESSION_ROWS, new RowTable(dataSource.getMetadata(SessionViewEntity)));
