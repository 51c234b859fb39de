import { ApiProperty } from '@nestjs/swagger';
import type { RunDetailView, RunView, UnknownView } from '#contracts';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES } from '#runs/contract';
import { Count, Hash, Id, Item, ItemOrNull, Name, OrNull, Text, Time } from './schema-fields.js';

class ReceiptsSchema {
  @OrNull({ format: 'date-time' }) readonly sentAt!: string | null;
  @OrNull({ format: 'date-time' }) readonly ackedAt!: string | null;
  @OrNull({ format: 'date-time' }) readonly observedAt!: string | null;
  @OrNull() readonly thread!: string | null;
  @OrNull() readonly turn!: string | null;
}

class OutputSummarySchema {
  @Count() readonly bytes!: number;
  @Hash() readonly sha256!: string;
  @Item(Boolean) readonly truncated!: boolean;
}

class RunStopSchema {
  @Id() readonly stopId!: string;
  @Time() readonly requestedAt!: string;
  @Text() readonly reason!: string;
}

export class UnknownSchema implements UnknownView {
  @ApiProperty({ enum: ['RUN_OUTCOME_UNKNOWN', 'TURN_OUTCOME_UNKNOWN'] })
  readonly code!: UnknownView['code'];
  @ApiProperty({ enum: ['node', 'saga', 'reconciler'] })
  readonly witness!: UnknownView['witness'];
  @Text() readonly reason!: string;
  @Item(Boolean) readonly fenced!: boolean;
  @Time() readonly since!: string;
  @OrNull({ format: 'date-time' }) readonly lastHeardAt!: string | null;
  @Text() readonly advice!: string;
}

export class RunSchema implements RunView {
  @Id() readonly runId!: string;
  @Id() readonly sessionId!: string;
  @Name() readonly agent!: string;
  @Name() readonly node!: string;
  @ApiProperty({ enum: [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES] })
  readonly status!: RunView['status'];
  @OrNull({ description: 'While open: what it waits for.' }) readonly waitsFor!: string | null;
  @OrNull() readonly code!: string | null;
  @ApiProperty({ enum: ['node', 'proof', 'operator', 'reconciler'], nullable: true })
  readonly settledBy!: RunView['settledBy'];
  @Text() readonly submittedBy!: string;
  @Time() readonly submittedAt!: string;
  @OrNull({ format: 'date-time' }) readonly dispatchedAt!: string | null;
  @OrNull({ format: 'date-time' }) readonly startedAt!: string | null;
  @OrNull({ format: 'date-time' }) readonly endedAt!: string | null;
  @Time() readonly updatedAt!: string;
  @Count() readonly generation!: number;
  @Count() readonly attempts!: number;
  @Count() readonly attemptsMax!: number;
  @Text() readonly runtime!: string;
  @Item(ReceiptsSchema) readonly receipts!: ReceiptsSchema;
  @ApiProperty({ type: 'integer', nullable: true }) readonly exitCode!: number | null;
  @ItemOrNull(OutputSummarySchema) readonly output!: OutputSummarySchema | null;
  @ItemOrNull(RunStopSchema) readonly stop!: RunStopSchema | null;
  @ItemOrNull(UnknownSchema) readonly unknown!: UnknownSchema | null;
  @Count() readonly lateEvidence!: number;
  @Item(Boolean) readonly alarming!: boolean;
  @Count() readonly sequence!: number;
}

export class RunDetailSchema extends RunSchema implements RunDetailView {
  @Text() readonly prompt!: string;
}
