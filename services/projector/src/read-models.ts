import { AgentViewEntity, agentsProjection } from '#agents/projection';
import { NodeViewEntity, SlotViewEntity, nodesProjection } from '#nodes/projection';
import { ChangeCounterEntity, CheckpointEntity, type Database, type Projection } from '#postgres';
import { RunPromptEntity, RunViewEntity, RunsProjection } from '#runs/projection';
import { SessionViewEntity, sessionsProjection } from '#sessions/projection';
import { SpawnTaskEntity, SpawnViewEntity, SpawnsProjection } from '#spawns/projection';

/** Every table that the projector writes. */
export const READ_MODELS = [
  CheckpointEntity,
  ChangeCounterEntity,
  RunViewEntity,
  RunPromptEntity,
  SessionViewEntity,
  AgentViewEntity,
  NodeViewEntity,
  SlotViewEntity,
  SpawnViewEntity,
  SpawnTaskEntity,
];

/** Every projection there is. */
export const projectionsOver = (database: Database): readonly Projection[] => [
  new RunsProjection(database),
  sessionsProjection(database),
  agentsProjection(database),
  nodesProjection(database),
  new SpawnsProjection(database),
];
