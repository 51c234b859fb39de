import { AgentViewEntity } from '#agents/projection';
import { NodeViewEntity } from '#nodes/projection';
import { ChangeCounterEntity, CheckpointEntity } from '#postgres';
import { RunPromptEntity, RunViewEntity } from '#runs/projection';
import { SessionViewEntity } from '#sessions/projection';

/** Every table that is read. */
export const TABLES = [
  CheckpointEntity,
  ChangeCounterEntity,
  RunViewEntity,
  RunPromptEntity,
  SessionViewEntity,
  AgentViewEntity,
  NodeViewEntity,
];
