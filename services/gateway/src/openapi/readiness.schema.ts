import { ApiProperty } from '@nestjs/swagger';
import type { DurabilityView, ReadinessCheckView, ReadinessView } from '#contracts';
import { Item, ItemOrNull, Text } from './schema-fields.js';

class ReadinessCheckSchema implements ReadinessCheckView {
  @Item(Boolean) readonly ok!: boolean;
  @Text() readonly detail!: string;
}

class DurabilitySchema implements DurabilityView {
  @ApiProperty({ enum: ['process-death', 'power-loss'] })
  readonly survives!: DurabilityView['survives'];
  @Text() readonly explanation!: string;
}

export class ReadinessSchema implements ReadinessView {
  @Item(Boolean) readonly ready!: boolean;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ReadinessCheckSchema' },
  })
  readonly checks!: Readonly<Record<string, ReadinessCheckSchema>>;
  @ItemOrNull(DurabilitySchema) readonly durability!: DurabilitySchema | null;
  @ApiProperty({ type: 'integer', nullable: true }) readonly projectionLagMs!: number | null;
}

/** Named only by reference above. */
export const EXTRA_SCHEMAS = [ReadinessCheckSchema];
