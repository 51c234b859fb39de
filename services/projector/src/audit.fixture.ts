import type { Sql } from '#postgres';

/** One committed move of a checkpoint. */
export interface Move {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Has the database itself keep every move of a checkpoint, from the moment on at which there is one: kept in the
 * transaction that moves it, so that what was rolled back is not there. The schema that programs see stays empty.
 */
export const auditCheckpoints = async (sql: Sql): Promise<void> => {
  for (const statement of AUDIT) await sql.execute(statement);
};

const AUDIT = [
  'CREATE SCHEMA audit',
  `CREATE TABLE audit.move (
    n bigserial PRIMARY KEY, name text NOT NULL, "from" bigint NOT NULL, "to" bigint NOT NULL
  )`,
  `CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO audit.move (name, "from", "to") VALUES (NEW.name, OLD.sequence, NEW.sequence);
      RETURN NULL;
    END $$`,
  `CREATE FUNCTION audit.begin() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT FROM pg_event_trigger_ddl_commands()
        WHERE object_identity = 'public.projection_checkpoint' AND command_tag = 'CREATE TABLE'
      ) THEN
        CREATE TRIGGER audit AFTER UPDATE OF sequence ON public.projection_checkpoint
          FOR EACH ROW EXECUTE FUNCTION audit.note();
      END IF;
    END $$`,
  `CREATE EVENT TRIGGER audit ON ddl_command_end
    WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION audit.begin()`,
];

/**
 * Where a checkpoint's moves do not join: a commit was applied twice, or left out.
 *
 * @param end where all of them must have arrived.
 */
export const brokenMoves = async (sql: Sql, end: number): Promise<readonly string[]> => {
  // The row of a checkpoint is locked while it moves, so that the numbers of its moves are in their order.
  const moves = await sql.query<Move>('SELECT name, "from", "to" FROM audit.move ORDER BY n');
  const at = new Map<string, number>();
  const broken: string[] = [];
  for (const { name, from, to } of moves) {
    const position = at.get(name) ?? 0;
    if (from !== position || to <= from) broken.push(`${name} at ${position}: ${from} to ${to}`);
    at.set(name, to);
  }
  for (const [name, position] of at)
    if (position < end) broken.push(`${name} ends at ${position} of ${end}`);
  return broken;
};
