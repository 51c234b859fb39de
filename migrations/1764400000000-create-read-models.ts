import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read models of runs, sessions, agents and nodes, and how far each has come. All of it can be made anew. */
export class CreateReadModels1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
  }
}

const TABLES = [
  'node_view',
  'agent_view',
  'session_view',
  'run_view',
  'run_prompt',
  'change_counter',
  'projection_checkpoint',
];

const UP = [
  `CREATE TABLE projection_checkpoint (
    name text NOT NULL,
    generation text NOT NULL,
    epoch integer NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    stored_at timestamptz,
    finding text,
    updated_at timestamptz NOT NULL,
    CONSTRAINT projection_checkpoint_pk PRIMARY KEY (name, generation)
  )`,

  `CREATE TABLE change_counter (
    id boolean NOT NULL,
    value bigint NOT NULL,
    CONSTRAINT change_counter_pk PRIMARY KEY (id)
  )`,
  'INSERT INTO change_counter (id, value) VALUES (true, 0)',

  `CREATE TABLE run_prompt (
    workspace text NOT NULL,
    run_id text NOT NULL,
    prompt text NOT NULL,
    sequence bigint NOT NULL,
    CONSTRAINT run_prompt_pk PRIMARY KEY (workspace, run_id)
  )`,

  `CREATE TABLE run_view (
    workspace text NOT NULL,
    run_id text NOT NULL,
    session_id text NOT NULL,
    agent text NOT NULL,
    node text NOT NULL,
    runtime text NOT NULL,
    status text NOT NULL,
    admitted boolean NOT NULL,
    code text,
    settled_by text,
    submitted_by text NOT NULL,
    submitted_at timestamptz NOT NULL,
    dispatched_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    updated_at timestamptz NOT NULL,
    generation integer NOT NULL,
    attempts integer NOT NULL,
    attempts_max integer NOT NULL,
    sent_at timestamptz,
    acked_at timestamptz,
    observed_at timestamptz,
    thread text,
    turn text,
    exit_code integer,
    output_bytes bigint,
    output_sha256 text,
    output_truncated boolean,
    stop_id text,
    stop_requested_at timestamptz,
    stop_reason text,
    unknown_code text,
    unknown_witness text,
    unknown_reason text,
    unknown_fenced boolean,
    unknown_since timestamptz,
    unknown_last_heard_at timestamptz,
    late_evidence integer NOT NULL,
    alarming boolean NOT NULL,
    ask_at timestamptz,
    receipt_of integer NOT NULL,
    look_again_at timestamptz,
    sequence bigint NOT NULL,
    change bigint NOT NULL,
    CONSTRAINT run_view_pk PRIMARY KEY (workspace, run_id)
  )`,
  'CREATE INDEX run_view_newest ON run_view (workspace, submitted_at, run_id)',
  'CREATE INDEX run_view_status ON run_view (workspace, status, submitted_at, run_id)',
  'CREATE INDEX run_view_agent ON run_view (workspace, agent, submitted_at, run_id)',
  'CREATE INDEX run_view_node ON run_view (workspace, node, submitted_at, run_id)',
  'CREATE INDEX run_view_session ON run_view (workspace, session_id, submitted_at, run_id)',
  'CREATE INDEX run_view_change ON run_view (workspace, change)',
  `CREATE INDEX run_view_open ON run_view (workspace, run_id)
    WHERE status IN ('queued', 'dispatched', 'running', 'stopping', 'unknown')`,

  `CREATE TABLE session_view (
    workspace text NOT NULL,
    session_id text NOT NULL,
    active_run_id text NOT NULL,
    queue jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    sequence bigint NOT NULL,
    change bigint NOT NULL,
    CONSTRAINT session_view_pk PRIMARY KEY (workspace, session_id)
  )`,
  'CREATE INDEX session_view_change ON session_view (workspace, change)',

  `CREATE TABLE agent_view (
    workspace text NOT NULL,
    name text NOT NULL,
    node text NOT NULL,
    status text NOT NULL,
    runtime text NOT NULL,
    attempts text NOT NULL,
    deduplicates_by_key boolean NOT NULL,
    read_back_by_key boolean NOT NULL,
    interruptible boolean NOT NULL,
    outlives_client boolean NOT NULL,
    prompt_by text NOT NULL,
    registered_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    sequence bigint NOT NULL,
    change bigint NOT NULL,
    CONSTRAINT agent_view_pk PRIMARY KEY (workspace, name)
  )`,
  'CREATE INDEX agent_view_node ON agent_view (workspace, node, name)',
  'CREATE INDEX agent_view_change ON agent_view (workspace, change)',

  `CREATE TABLE node_view (
    workspace text NOT NULL,
    node_id text NOT NULL,
    name text NOT NULL,
    membership text NOT NULL,
    capabilities jsonb NOT NULL,
    capacity integer NOT NULL,
    max_runs integer NOT NULL,
    agents jsonb NOT NULL,
    journal_id text NOT NULL,
    incarnation text,
    joined_at timestamptz NOT NULL,
    started_at timestamptz,
    left_at timestamptz,
    updated_at timestamptz NOT NULL,
    sequence bigint NOT NULL,
    change bigint NOT NULL,
    CONSTRAINT node_view_pk PRIMARY KEY (workspace, node_id)
  )`,
  'CREATE INDEX node_view_change ON node_view (workspace, change)',
];
