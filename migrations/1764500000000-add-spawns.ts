import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read model of spawns, and what nodes have to do with them. Nodes that are there know of no spawn yet. */
export class AddSpawns1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const DOWN = [
  'DROP TABLE spawn_view',
  'DROP TABLE spawn_task',
  'DROP TABLE slot_view',
  `ALTER TABLE node_view DROP COLUMN harnesses, DROP COLUMN drain_reason, DROP COLUMN drain_actor,
    DROP COLUMN drained_at`,
];

const UP = [
  `ALTER TABLE node_view ADD COLUMN harnesses jsonb NOT NULL DEFAULT '[]', ADD COLUMN drain_reason text,
    ADD COLUMN drain_actor text, ADD COLUMN drained_at timestamptz`,
  // Of the rows that are there only: from here on each says it itself.
  'ALTER TABLE node_view ALTER COLUMN harnesses DROP DEFAULT',

  `CREATE TABLE slot_view (
    workspace text NOT NULL,
    node_id text NOT NULL,
    spawn_id text NOT NULL,
    state text NOT NULL,
    round integer NOT NULL,
    agent_name text NOT NULL,
    harness text NOT NULL,
    since timestamptz NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT slot_view_pk PRIMARY KEY (workspace, node_id, spawn_id)
  )`,
  `CREATE INDEX slot_view_held ON slot_view (workspace, node_id, since, spawn_id)
    WHERE state <> 'released'`,

  `CREATE TABLE spawn_task (
    workspace text NOT NULL,
    spawn_id text NOT NULL,
    task text NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT spawn_task_pk PRIMARY KEY (workspace, spawn_id)
  )`,

  `CREATE TABLE spawn_view (
    workspace text NOT NULL,
    spawn_id text NOT NULL,
    kind text NOT NULL,
    agent_name text NOT NULL,
    harness text NOT NULL,
    status text NOT NULL,
    code text,
    node_id text,
    node_name text,
    capabilities jsonb NOT NULL,
    directory text,
    worker_cwd text,
    verify_ready boolean NOT NULL,
    requested_by text NOT NULL,
    claimed_at timestamptz NOT NULL,
    dispatched_at timestamptz,
    retry_after_at timestamptz,
    settled_at timestamptz,
    updated_at timestamptz NOT NULL,
    round integer NOT NULL,
    generation integer NOT NULL,
    slot text NOT NULL,
    slot_round integer,
    slot_node_id text,
    fenced integer NOT NULL,
    agent text NOT NULL,
    late_agent text,
    stop_id text,
    stop_requested_at timestamptz,
    stop_reason text,
    unknown_reason text,
    unknown_witness text,
    unknown_since timestamptz,
    unknown_last_heard_at timestamptz,
    resolution text,
    resolution_note text,
    resolution_actor text,
    resolved_at timestamptz,
    late_evidence integer NOT NULL,
    alarming boolean NOT NULL,
    open boolean NOT NULL,
    unanswered boolean NOT NULL,
    sequence bigint NOT NULL,
    change bigint NOT NULL,
    CONSTRAINT spawn_view_pk PRIMARY KEY (workspace, spawn_id)
  )`,
  'CREATE INDEX spawn_view_newest ON spawn_view (workspace, claimed_at, spawn_id)',
  'CREATE INDEX spawn_view_status ON spawn_view (workspace, status, claimed_at, spawn_id)',
  'CREATE INDEX spawn_view_node ON spawn_view (workspace, node_id, claimed_at, spawn_id)',
  'CREATE INDEX spawn_view_unanswered ON spawn_view (workspace, claimed_at, spawn_id) WHERE unanswered',
  "CREATE INDEX spawn_view_slot ON spawn_view (workspace, slot_node_id) WHERE slot <> 'none'",
  'CREATE INDEX spawn_view_change ON spawn_view (workspace, change)',
  'CREATE INDEX spawn_view_open ON spawn_view (workspace, spawn_id) WHERE open',
];
