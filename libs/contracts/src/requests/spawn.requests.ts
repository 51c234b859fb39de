import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  Length,
  Matches,
  ValidateIf,
} from 'class-validator';
import { SPAWN_RESOLUTIONS, STRICT_SPAWN_CONTRACT, type SpawnResolution } from '#spawns/contract';
import type { SpawnClaimRequest, SpawnReport } from '../spawn.wire.js';
import { REPORT_BOUNDS } from '../work.wire.js';
import { ARGUMENT_PROMPT_BYTES_MAX } from './client.requests.js';
import { NODE_BOUNDS } from './node.requests.js';
import { OptionalProperty, TOKEN, UUID, Utf8Text, WholeNumber } from './text-rules.js';
import { validate, type Validated } from './validate.js';

/** The most that a task may have, bytes of UTF-8: it is handed to its agent as one argument. */
export const TASK_BYTES_MAX = ARGUMENT_PROMPT_BYTES_MAX;
/** The most that a path may have, bytes: the kernel's limit of one. */
export const PATH_BYTES_MAX = 4_095;
/** Absolute, since nobody could say what it were relative to. */
const ABSOLUTE = /^\//;
const GENERATION_MAX = 1_000_000_000;

/** `POST /v1/actions/spawn/strict-invoke`, `hf.cmd.spawns.strictInvoke`: one agent on this node, or nothing. */
export class StrictInvokeRequest {
  @ApiProperty({ enum: [STRICT_SPAWN_CONTRACT] })
  @IsIn([STRICT_SPAWN_CONTRACT])
  readonly spawn_contract!: string;

  @ApiProperty({ example: 'node-1', pattern: TOKEN.source, description: 'The one node, by id.' })
  @Matches(TOKEN)
  readonly node_id!: string;

  @ApiProperty({ example: 'node-1', description: 'Its name: must be what the node is called.' })
  @Utf8Text(256)
  readonly node_name!: string;

  @ApiProperty({ example: 'reviewer', pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly agent_name!: string;

  @ApiProperty({ example: 'cli', pattern: TOKEN.source, description: 'How it is started.' })
  @Matches(TOKEN)
  readonly harness!: string;

  @ApiProperty({ minLength: 1, description: 'What it is to do. At most 128 KiB in UTF-8.' })
  @Utf8Text(TASK_BYTES_MAX)
  readonly task!: string;

  @OptionalProperty({ description: 'Where it is to work: an absolute path on the node.' })
  @Utf8Text(PATH_BYTES_MAX)
  @Matches(ABSOLUTE, { message: 'directory must be an absolute path' })
  readonly directory?: string;

  @OptionalProperty({
    description: 'Refuse when the node is not ready, instead of waiting for it.',
  })
  @IsBoolean()
  readonly verify_ready?: boolean;

  @OptionalProperty({ description: 'Taken and not bound: a repeat may name another one.' })
  @Utf8Text(PATH_BYTES_MAX)
  readonly worker_cwd?: string;
}

/**
 * `POST /v1/actions/spawn/replay`, `hf.cmd.spawns.replay`: what became of the call under this key. What it repeats of that
 * call must be the same.
 */
export class SpawnReplayRequest implements Partial<StrictInvokeRequest> {
  @ApiProperty({ enum: [STRICT_SPAWN_CONTRACT] })
  @IsIn([STRICT_SPAWN_CONTRACT])
  readonly spawn_contract!: string;

  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly node_id?: string;

  @OptionalProperty({})
  @Utf8Text(256)
  readonly node_name?: string;

  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly agent_name?: string;

  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly harness?: string;

  @OptionalProperty({})
  @Utf8Text(TASK_BYTES_MAX)
  readonly task?: string;

  @OptionalProperty({})
  @Utf8Text(PATH_BYTES_MAX)
  @Matches(ABSOLUTE, { message: 'directory must be an absolute path' })
  readonly directory?: string;

  @OptionalProperty({})
  @IsBoolean()
  readonly verify_ready?: boolean;

  @OptionalProperty({})
  @Utf8Text(PATH_BYTES_MAX)
  readonly worker_cwd?: string;
}

/** `POST /v1/spawns`, `hf.cmd.spawns.create`: an agent on whichever node fits. */
export class CreateSpawnRequest {
  @ApiProperty({ example: 'reviewer', pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly agentName!: string;

  @ApiProperty({ example: 'cli', pattern: TOKEN.source, description: 'How it is started.' })
  @Matches(TOKEN)
  readonly harness!: string;

  @ApiProperty({ minLength: 1, description: 'What it is to do. At most 128 KiB in UTF-8.' })
  @Utf8Text(TASK_BYTES_MAX)
  readonly task!: string;

  @OptionalProperty({ description: 'Where it is to work: an absolute path on the node.' })
  @Utf8Text(PATH_BYTES_MAX)
  @Matches(ABSOLUTE, { message: 'directory must be an absolute path' })
  readonly directory?: string;

  @OptionalProperty({ type: [String], description: 'What its node must have, beside the harness.' })
  @IsArray()
  @ArrayMaxSize(NODE_BOUNDS.capabilities)
  @ArrayUnique()
  @Matches(TOKEN, { each: true })
  readonly capabilities?: readonly string[];
}

/** `POST /v1/spawns/{id}/resolution`: an operator says what becomes of an agent that may be alive. */
export class SpawnResolutionRequest {
  @ApiProperty({
    enum: SPAWN_RESOLUTIONS,
    description:
      'stop: its node ends it · adopt: it was seen alive, and keeps its place · free: give the place back without proof',
  })
  @IsIn(SPAWN_RESOLUTIONS)
  readonly as!: SpawnResolution;

  @ApiProperty({
    minLength: 1,
    maxLength: 2000,
    description: 'Why: shown with the spawn for ever.',
  })
  @Utf8Text(8000)
  @Length(1, 2000)
  readonly note!: string;
}

/** `hf.cmd.spawns.resolve`: the resolution with the spawn that stands in the path over HTTP. */
export class ResolveSpawnRequest extends SpawnResolutionRequest {
  @ApiProperty({ format: 'uuid' })
  @Matches(UUID, { message: 'spawnId must be a UUID in lower case' })
  readonly spawnId!: string;
}

/** `POST /v1/nodes/{id}/drain`, `/return`: takes a node out of service, or puts it back. */
export class NodeServiceBody {
  @ApiProperty({ minLength: 1, maxLength: 1000, description: 'Why: shown with the node.' })
  @Utf8Text(4000)
  @Length(1, 1000)
  readonly reason!: string;
}

/** `hf.cmd.nodes.drain`, `hf.cmd.nodes.return`: with the node that stands in the path over HTTP. */
export class NodeServiceRequest extends NodeServiceBody {
  @ApiProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly nodeId!: string;
}

/** `hf.cmd.spawns.claim.<workspace>.<node>` */
export class SpawnClaimBody implements SpawnClaimRequest {
  @Matches(UUID)
  readonly spawnId!: string;
  @WholeNumber(1, GENERATION_MAX)
  readonly generation!: number;
  @Matches(TOKEN)
  readonly journalId!: string;
  @Matches(TOKEN)
  readonly incarnation!: string;
}

class SpawnReportBody extends SpawnClaimBody {
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly journalSequence!: number;
  @IsIn(['not-started', 'started', 'ended'])
  readonly kind!: string;
}
class AgentNotStartedReport extends SpawnReportBody {
  @Matches(TOKEN)
  readonly disproves!: string;
  @Utf8Text(REPORT_BOUNDS.sentenceBytesMax)
  readonly proof!: string;
}
class AgentReport extends SpawnReportBody {
  @Utf8Text(REPORT_BOUNDS.sentenceBytesMax)
  readonly evidence!: string;
  @ValidateIf((_report, workerCwd: unknown) => workerCwd !== null)
  @Utf8Text(PATH_BYTES_MAX)
  readonly workerCwd!: string | null;
}

const SPAWN_REPORTS: Readonly<Record<SpawnReport['kind'], new () => SpawnReportBody>> = {
  'not-started': AgentNotStartedReport,
  started: AgentReport,
  ended: AgentReport,
};

/** Checks a report of an agent; its `kind` chooses what else it must say. */
export const validateSpawnReport = (raw: unknown): Validated<SpawnReport> => {
  const kind = typeof raw === 'object' && raw !== null ? (raw as { kind?: unknown }).kind : null;
  const report =
    typeof kind === 'string' && Object.hasOwn(SPAWN_REPORTS, kind)
      ? SPAWN_REPORTS[kind as SpawnReport['kind']]
      : SpawnReportBody;
  // What the class of that kind accepts is what the union member of that kind says.
  return validate(report, raw) as Validated<SpawnReport>;
};
