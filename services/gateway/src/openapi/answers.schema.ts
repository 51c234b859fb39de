import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ROLES } from '#access/contract';
import type {
  AgentView,
  CallerView,
  NodeView,
  OutputChunkView,
  OutputView,
  Problem,
  ProjectionView,
  SessionView,
  StopView,
  SubmissionView,
  TimelineEntryView,
} from '#contracts';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES } from '#runs/contract';
import { RunDetailSchema, RunSchema } from './run.schema.js';
import { page } from './page.schema.js';
import { Count, Hash, Id, Item, ItemOrNull, Name, OrNull, Text, Time } from './schema-fields.js';
import { SlotSchema } from './spawn.schema.js';

export { RunDetailSchema, RunSchema };

/** The answers as the OpenAPI document shows them. `implements` keeps them equal to what is sent. */

export class SubmissionSchema implements SubmissionView {
  @Id() readonly runId!: string;
  @Id() readonly sessionId!: string;
  @ApiProperty({ enum: ['queued'] }) readonly status!: 'queued';
}

export class StopAcceptedSchema {
  @Id() readonly stopId!: string;
}

export class ResolutionSchema {
  @Id() readonly runId!: string;
  @ApiProperty({ enum: SETTLED_RUN_STATUSES })
  readonly status!: (typeof SETTLED_RUN_STATUSES)[number];
}

export class IssuedTokenSchema {
  @Text({ description: 'Told here and never again, except to a repeat of the same request.' })
  readonly token!: string;
  @Hash() readonly tokenHash!: string;
  @Text() readonly principal!: string;
  @ApiProperty({ enum: ROLES }) readonly role!: (typeof ROLES)[number];
  @Name() readonly workspace!: string;
}

export class RevokedTokenSchema {
  @Hash() readonly tokenHash!: string;
}

export class TimelineEntrySchema implements TimelineEntryView {
  @Count() readonly sequence!: number;
  @Time() readonly at!: string;
  @Text() readonly type!: string;
  @Text() readonly actor!: string;
  @Text() readonly command!: string;
  @ApiProperty({ type: Object }) readonly data!: Readonly<Record<string, unknown>>;
}

export class OutputChunkSchema implements OutputChunkView {
  @Count() readonly sequence!: number;
  @Count() readonly generation!: number;
  @Count({ description: 'Byte offset in that generation’s output.' }) readonly offset!: number;
  @Text({ format: 'byte' }) readonly data!: string;
}

export class OutputSchema implements OutputView {
  @ApiProperty({ type: () => [OutputChunkSchema] }) readonly items!: readonly OutputChunkSchema[];
  @Count({ description: 'Pass it as `after` to read on.' }) readonly next!: number;
  @Item(Boolean) readonly complete!: boolean;
  @Count() readonly missingBytes!: number;
  @Item(Boolean) readonly truncated!: boolean;
}

export class SessionSchema implements SessionView {
  @Id() readonly sessionId!: string;
  @Name() readonly agent!: string;
  @Id() readonly activeRunId!: string;
  @ApiProperty({ type: [String] }) readonly queue!: readonly string[];
  @OrNull() readonly waitsFor!: string | null;
}

class AgentCapabilitiesSchema {
  @Item(Boolean) readonly deduplicatesByKey!: boolean;
  @Item(Boolean) readonly readBackByKey!: boolean;
  @Item(Boolean) readonly interruptible!: boolean;
  @Item(Boolean) readonly outlivesClient!: boolean;
}

export class AgentSchema implements AgentView {
  @Name() readonly name!: string;
  @Name() readonly node!: string;
  @ApiProperty({ enum: ['registered', 'ended'] }) readonly status!: AgentView['status'];
  @Text() readonly runtime!: string;
  @ApiProperty({ enum: ['single', 'resumable'] }) readonly attempts!: AgentView['attempts'];
  @Item(AgentCapabilitiesSchema) readonly capabilities!: AgentCapabilitiesSchema;
  @ApiProperty({ enum: ['argument', 'stdin'] }) readonly promptBy!: AgentView['promptBy'];
  @Time() readonly registeredAt!: string;
}

class DrainSchema {
  @Text() readonly reason!: string;
  @Text() readonly actor!: string;
  @Time() readonly since!: string;
}

export class NodeServiceSchema {
  @Name() readonly nodeId!: string;
  @Item(Boolean) readonly drained!: boolean;
}

export class NodeSchema implements NodeView {
  @Name() readonly id!: string;
  @Text() readonly name!: string;
  @ApiProperty({ enum: ['member', 'left'] }) readonly membership!: NodeView['membership'];
  @ApiProperty({ enum: ['alive', 'silent', 'unclear'] }) readonly liveness!: NodeView['liveness'];
  @Item(Boolean) readonly recovering!: boolean;
  @OrNull({ format: 'date-time' }) readonly lastHeardAt!: string | null;
  @ApiProperty({ type: [String] }) readonly capabilities!: readonly string[];
  @Count() readonly capacity!: number;
  @Count() readonly maxRuns!: number;
  @Count() readonly running!: number;
  @Count() readonly waiting!: number;
  @ApiProperty({ type: [String] }) readonly agents!: readonly string[];
  @ApiProperty({ type: [String], description: 'What it can start agents with.' })
  readonly harnesses!: readonly string[];
  @ApiProperty({ type: [String], description: 'Harnesses of it that are not ready.' })
  readonly notReady!: readonly string[];
  @ItemOrNull(DrainSchema) readonly drained!: DrainSchema | null;
  @ApiProperty({
    type: () => [SlotSchema],
    description:
      'Places that are taken, the oldest first; an answer names 1,000 at most, over all of its nodes.',
  })
  readonly slots!: readonly SlotSchema[];
  @Name() readonly journalId!: string;
  @OrNull() readonly incarnation!: string | null;
  @Time() readonly joinedAt!: string;
}

class StopTargetSchema {
  @Text() readonly kind!: string;
  @Text() readonly id!: string;
}

const STOP_OUTCOMES: ApiPropertyOptions = { enum: ['pending', 'proven', 'unknown', 'too-late'] };
const RUN_STATUSES = [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES];

export class StopSchema implements StopView {
  @Id() readonly stopId!: string;
  @Item(StopTargetSchema) readonly target!: StopTargetSchema;
  @Text() readonly reason!: string;
  @Text() readonly requestedBy!: string;
  @Time() readonly requestedAt!: string;
  @ApiProperty(STOP_OUTCOMES) readonly outcome!: StopView['outcome'];
  @OrNull() readonly proof!: string | null;
  @ApiProperty({ type: [String] }) readonly remains!: readonly string[];
  @ApiProperty({ enum: RUN_STATUSES, nullable: true }) readonly runStatus!: StopView['runStatus'];
}

export class ProjectionSchema implements ProjectionView {
  @Text() readonly name!: string;
  @Text() readonly generation!: string;
  @Count() readonly epoch!: number;
  @Count() readonly position!: number;
  @Count() readonly end!: number;
  @Count() readonly lag!: number;
  @Count({ description: 'Milliseconds.' }) readonly lagMs!: number;
  @OrNull({ description: 'Why it has stopped.' }) readonly finding!: string | null;
  @OrNull({ format: 'date-time' }) readonly updatedAt!: string | null;
}

export class CallerSchema implements CallerView {
  @Text() readonly principal!: string;
  @ApiProperty({ enum: ROLES }) readonly role!: CallerView['role'];
  @Name() readonly workspace!: string;
}

class FieldProblemSchema {
  @Text() readonly path!: string;
  @Text() readonly problem!: string;
}

export class ProblemSchema implements Problem {
  @Text() readonly type!: string;
  @Text() readonly title!: string;
  @Count() readonly status!: number;
  @Text({ description: 'Stable. Match on this.' }) readonly code!: string;
  @Text() readonly detail!: string;
  @Item(Boolean) readonly retryable!: boolean;
  @Text() readonly requestId!: string;
  @ApiProperty({ type: () => [FieldProblemSchema], required: false })
  readonly errors?: readonly FieldProblemSchema[];
}

export class RunPageSchema extends page(RunSchema) {}
export class TimelinePageSchema extends page(TimelineEntrySchema) {}
export class AgentPageSchema extends page(AgentSchema) {}
export class NodePageSchema extends page(NodeSchema) {}
export class ProjectionPageSchema extends page(ProjectionSchema) {}
