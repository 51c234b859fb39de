import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  Matches,
  ValidateNested,
} from 'class-validator';
import type { ClaimRequest, JoinRequest, JoiningAgent } from '../work.wire.js';
import { Optional, TOKEN, UUID, Utf8Text, WholeNumber } from './text-rules.js';

/** What one node may declare at most. Bounds of a commit, far above what machines hold. */
export const NODE_BOUNDS = {
  agents: 200,
  capabilities: 64,
  harnesses: 64,
  capacity: 10_000,
  maxRuns: 1_000,
};
const GENERATION_MAX = 1_000_000_000;

/** Ids of spawns name the agents that they start: no node may offer one under such a name. */
const NO_ID = new RegExp(`^(?!${UUID.source.slice(1)}).*$`);

export class JoiningAgentBody implements JoiningAgent {
  @Matches(TOKEN)
  @Matches(NO_ID, { message: 'name must not look like an id' })
  readonly name!: string;
  @Matches(TOKEN)
  readonly runtime!: string;
  @IsIn(['single', 'resumable'])
  readonly attempts!: 'single' | 'resumable';
  @IsBoolean()
  readonly deduplicatesByKey!: boolean;
  @IsBoolean()
  readonly readBackByKey!: boolean;
  @IsBoolean()
  readonly interruptible!: boolean;
  @IsBoolean()
  readonly outlivesClient!: boolean;
  @IsIn(['argument', 'stdin'])
  readonly promptBy!: 'argument' | 'stdin';
}

/** `hf.cmd.nodes.join.<workspace>.<node>` */
export class JoinBody implements JoinRequest {
  @Matches(TOKEN)
  readonly journalId!: string;
  @Matches(TOKEN)
  readonly incarnation!: string;
  @Utf8Text(256)
  readonly name!: string;
  @IsArray()
  @ArrayMaxSize(NODE_BOUNDS.capabilities)
  @ArrayUnique()
  @Matches(TOKEN, { each: true })
  readonly capabilities!: readonly string[];
  @WholeNumber(0, NODE_BOUNDS.capacity)
  readonly capacity!: number;
  @WholeNumber(1, NODE_BOUNDS.maxRuns)
  readonly maxRuns!: number;
  @IsArray()
  @ArrayMaxSize(NODE_BOUNDS.agents)
  @ArrayUnique((agent: JoiningAgentBody | null) => agent?.name)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => JoiningAgentBody)
  readonly agents!: readonly JoiningAgentBody[];
  @Optional()
  @IsArray()
  @ArrayMaxSize(NODE_BOUNDS.harnesses)
  @ArrayUnique()
  @Matches(TOKEN, { each: true })
  readonly harnesses?: readonly string[];
}

/** `hf.cmd.nodes.leave.<workspace>.<node>` */
export class LeaveBody {
  @Matches(TOKEN)
  readonly journalId!: string;
  @Utf8Text(1_000)
  readonly reason!: string;
}

/** `hf.cmd.runs.claim.<workspace>.<node>` */
export class ClaimBody implements ClaimRequest {
  @Matches(UUID)
  readonly runId!: string;
  @WholeNumber(1, GENERATION_MAX)
  readonly generation!: number;
  @Matches(TOKEN)
  readonly journalId!: string;
  @Matches(TOKEN)
  readonly incarnation!: string;
}
