import { AgentViewEntity } from '#agents/projection';
import { NodeViewEntity, SlotViewEntity } from '#nodes/projection';
import { ChangeCounterEntity, CheckpointEntity } from '#postgres';
import { RunPromptEntity, RunViewEntity } from '#runs/projection';
import { SessionViewEntity } from '#sessions/projection';
import { SpawnTaskEntity, SpawnViewEntity } from '#spawns/projection';

/** Every table that is read. */
export const TABLES = [
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
