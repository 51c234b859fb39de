import { IsBoolean, IsIn, Matches, ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { ApiProperty } from '@nestjs/swagger';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES, type RunStatus } from '#runs/contract';
import {
  CALLER_SPAWN_STATUSES,
  SPAWN_KINDS,
  type CallerSpawnStatus,
  type SpawnKind,
} from '#spawns/contract';
import {
  FlagFromText,
  ListFromText,
  Moment,
  NumberFromText,
  OptionalProperty,
  TOKEN,
  UUID,
  WholeNumber,
} from './text-rules.js';

/** How many items a page has unless asked otherwise, and at most. */
export const PAGE_SIZE = { default: 50, max: 200 } as const;

const STATUSES = [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES];
const CURSOR = /^[A-Za-z0-9_-]{1,512}$/;

/** What every list takes. */
export class PageQuery {
  @OptionalProperty({
    type: Number,
    minimum: 1,
    maximum: PAGE_SIZE.max,
    default: PAGE_SIZE.default,
  })
  @NumberFromText()
  @WholeNumber(1, PAGE_SIZE.max)
  readonly limit?: number;

  @OptionalProperty({ description: '`nextCursor` of the page before.' })
  @Matches(CURSOR, { message: 'cursor must be the nextCursor of another page' })
  readonly cursor?: string;
}

/** `GET /v1/runs`, `hf.qry.runs.list` */
export class RunListQuery extends PageQuery {
  @OptionalProperty({ enum: STATUSES, isArray: true, description: 'Any of these.' })
  @ListFromText()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(STATUSES.length)
  @IsIn(STATUSES, { each: true })
  readonly status?: readonly RunStatus[];

  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly agent?: string;

  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly node?: string;

  @OptionalProperty({ format: 'uuid' })
  @Matches(UUID, { message: 'session must be a UUID in lower case' })
  readonly session?: string;

  @OptionalProperty({ format: 'date-time', description: 'Submitted at this moment or later.' })
  @Moment()
  readonly since?: string;
}

/** `GET /v1/spawns`, `hf.qry.spawns.list` */
export class SpawnListQuery extends PageQuery {
  @OptionalProperty({ enum: CALLER_SPAWN_STATUSES, isArray: true, description: 'Any of these.' })
  @ListFromText()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(CALLER_SPAWN_STATUSES.length)
  @IsIn(CALLER_SPAWN_STATUSES, { each: true })
  readonly status?: readonly CallerSpawnStatus[];

  @OptionalProperty({ enum: SPAWN_KINDS })
  @IsIn(SPAWN_KINDS)
  readonly kind?: SpawnKind;

  @OptionalProperty({ pattern: TOKEN.source, description: 'Bound to this node, or placed on it.' })
  @Matches(TOKEN)
  readonly node?: string;

  @OptionalProperty({
    type: Boolean,
    description:
      'true: those of which nobody could say whether they were started, and nobody has said since what became of them',
  })
  @FlagFromText()
  @IsBoolean()
  readonly unknown?: boolean;
}

/** `GET /v1/unknowns`, `/v1/agents`, `/v1/nodes`: what waits, or who is there. */
export class NodeListQuery extends PageQuery {
  @OptionalProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly node?: string;
}

/** `GET /v1/runs/{id}` and whatever else is found by a UUID. */
export class IdQuery {
  @ApiProperty({ format: 'uuid' })
  @Matches(UUID, { message: 'id must be a UUID in lower case' })
  readonly id!: string;
}

/** `GET /v1/nodes/{id}`, `/v1/agents/{id}`: found by a name. */
export class NameQuery {
  @ApiProperty({ pattern: TOKEN.source })
  @Matches(TOKEN)
  readonly id!: string;
}

/** `GET /v1/runs/{id}/output`, `/v1/runs/{id}/timeline`: reads on after a position. */
export class AfterQuery extends IdQuery {
  @OptionalProperty({ type: Number, minimum: 0, description: '`next` of the answer before.' })
  @NumberFromText()
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly after?: number;

  @OptionalProperty({
    type: Number,
    minimum: 1,
    maximum: PAGE_SIZE.max,
    default: PAGE_SIZE.default,
  })
  @NumberFromText()
  @WholeNumber(1, PAGE_SIZE.max)
  readonly limit?: number;
}

/** `hf.qry.changes.list`: what the read models gained after a position. */
export class ChangesQuery {
  @OptionalProperty({
    type: Number,
    minimum: 0,
    description:
      '`next` of the answer before; without it nothing is listed, and `next` says where "now" is.',
  })
  @NumberFromText()
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly after?: number;

  @OptionalProperty({
    type: Number,
    minimum: 1,
    maximum: PAGE_SIZE.max,
    default: PAGE_SIZE.max,
  })
  @NumberFromText()
  @WholeNumber(1, PAGE_SIZE.max)
  readonly limit?: number;
}
