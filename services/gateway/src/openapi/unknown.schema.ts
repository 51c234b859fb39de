import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { Page, UnknownItemView } from '#contracts';
import { NEXT_CURSOR } from './page.schema.js';
import { RunSchema } from './run.schema.js';
import { OrNull } from './schema-fields.js';
import { SpawnSchema } from './spawn.schema.js';

@ApiExtraModels(SpawnSchema, RunSchema)
export class UnknownPageSchema implements Page<UnknownItemView> {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(SpawnSchema) }, { $ref: getSchemaPath(RunSchema) }] },
    description: 'A spawn has a `spawnId`, a run a `runId`.',
  })
  readonly items!: readonly UnknownItemView[];
  @OrNull(NEXT_CURSOR) readonly nextCursor!: string | null;
}
