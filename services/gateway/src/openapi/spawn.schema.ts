import { ApiProperty } from '@nestjs/swagger';
import type {
  SlotView,
  SpawnAcceptedView,
  SpawnDetailView,
  SpawnView,
  StrictSpawnView,
} from '#contracts';
import {
  CALLER_SPAWN_STATUSES,
  SPAWN_FAILURE_CODES,
  SPAWN_KINDS,
  SPAWN_RESOLUTIONS,
  STRICT_SPAWN_CONTRACT,
} from '#spawns/contract';
import { page } from './page.schema.js';
import { Count, Id, Item, ItemOrNull, Name, OrNull, Text, Time } from './schema-fields.js';

const FAILURE = { enum: SPAWN_FAILURE_CODES, nullable: true, description: 'Why it failed.' };
const WAITS_FOR = { description: 'What it waits for, in a plain sentence.' };
const MOMENT = { format: 'date-time' };

export class StrictSpawnSchema implements StrictSpawnView {
  @Id() readonly invocation_id!: string;
  @ApiProperty({ enum: CALLER_SPAWN_STATUSES }) readonly status!: StrictSpawnView['status'];
  @Name() readonly handler_node_id!: string;
  @Text() readonly handler_node_name!: string;
  @OrNull({ description: 'Where its order was sent; null before the dispatch.' })
  readonly dispatched_node_id!: string | null;
  @OrNull() readonly dispatched_node_name!: string | null;
  @Count() readonly dispatch_generation!: number;
  @OrNull(MOMENT) readonly dispatched_at!: string | null;
  @OrNull(MOMENT) readonly retry_after_at!: string | null;
  @OrNull() readonly worker_cwd!: string | null;
  @ApiProperty(FAILURE) readonly failure_code!: StrictSpawnView['failure_code'];
  @OrNull(WAITS_FOR) readonly waits_for!: string | null;
  @ApiProperty({
    enum: [STRICT_SPAWN_CONTRACT],
    required: false,
    description: 'The contract that was applied: only where what is stored proves it.',
  })
  readonly spawn_contract_applied?: string;
}

export class SpawnAcceptedSchema implements SpawnAcceptedView {
  @Id() readonly spawnId!: string;
  @ApiProperty({ enum: CALLER_SPAWN_STATUSES }) readonly status!: SpawnAcceptedView['status'];
}

export class SpawnResolvedSchema {
  @Id() readonly spawnId!: string;
  @ApiProperty({ enum: SPAWN_RESOLUTIONS })
  readonly resolution!: (typeof SPAWN_RESOLUTIONS)[number];
}

class SpawnStopSchema {
  @Id() readonly stopId!: string;
  @Time() readonly requestedAt!: string;
  @Text() readonly reason!: string;
}

class SpawnUnknownSchema {
  @Text() readonly reason!: string;
  @ApiProperty({ enum: ['node', 'saga', 'reconciler'] })
  readonly witness!: 'node' | 'saga' | 'reconciler';
  @Time() readonly since!: string;
  @OrNull(MOMENT) readonly lastHeardAt!: string | null;
  @Text() readonly advice!: string;
}

class SpawnResolutionSchema {
  @ApiProperty({ enum: SPAWN_RESOLUTIONS }) readonly as!: (typeof SPAWN_RESOLUTIONS)[number];
  @Text() readonly note!: string;
  @Text() readonly actor!: string;
  @Time() readonly at!: string;
}

export class SpawnSchema implements SpawnView {
  @Id() readonly spawnId!: string;
  @ApiProperty({ enum: SPAWN_KINDS }) readonly kind!: SpawnView['kind'];
  @Name() readonly agentName!: string;
  @Name() readonly harness!: string;
  @ApiProperty({ enum: CALLER_SPAWN_STATUSES }) readonly status!: SpawnView['status'];
  @ApiProperty(FAILURE) readonly code!: SpawnView['code'];
  @OrNull(WAITS_FOR) readonly waitsFor!: string | null;
  @OrNull() readonly nodeId!: string | null;
  @OrNull() readonly nodeName!: string | null;
  @ApiProperty({ type: [String] }) readonly capabilities!: readonly string[];
  @OrNull() readonly directory!: string | null;
  @OrNull() readonly workerCwd!: string | null;
  @Item(Boolean) readonly verifyReady!: boolean;
  @Text() readonly requestedBy!: string;
  @Time() readonly claimedAt!: string;
  @OrNull(MOMENT) readonly dispatchedAt!: string | null;
  @OrNull(MOMENT) readonly retryAfterAt!: string | null;
  @OrNull(MOMENT) readonly settledAt!: string | null;
  @Time() readonly updatedAt!: string;
  @Count() readonly round!: number;
  @Count() readonly generation!: number;
  @ApiProperty({ enum: ['none', 'reserved', 'occupied'] }) readonly slot!: SpawnView['slot'];
  @ApiProperty({
    enum: ['none', 'maybe', 'alive', 'ended'],
    description: 'maybe: nobody could say whether it was started',
  })
  readonly agent!: SpawnView['agent'];
  @ItemOrNull(SpawnStopSchema) readonly stop!: SpawnStopSchema | null;
  @ItemOrNull(SpawnUnknownSchema) readonly unknown!: SpawnUnknownSchema | null;
  @ItemOrNull(SpawnResolutionSchema) readonly resolution!: SpawnResolutionSchema | null;
  @Count() readonly lateEvidence!: number;
  @Item(Boolean) readonly alarming!: boolean;
  @Count() readonly sequence!: number;
}

export class SpawnDetailSchema extends SpawnSchema implements SpawnDetailView {
  @Text() readonly task!: string;
}

export class SpawnPageSchema extends page(SpawnSchema) {}

export class SlotSchema implements SlotView {
  @Id() readonly spawnId!: string;
  @Name() readonly agentName!: string;
  @Name() readonly harness!: string;
  @ApiProperty({ enum: ['reserved', 'occupied'] }) readonly state!: SlotView['state'];
  @Count() readonly round!: number;
  @Time() readonly since!: string;
  @Text({ description: 'Why it is held, in a plain sentence.' }) readonly why!: string;
}
