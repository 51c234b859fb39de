import { ApiProperty } from '@nestjs/swagger';
import type { Page } from '#contracts';
import { OrNull } from './schema-fields.js';

export const NEXT_CURSOR = {
  description: 'Pass it as `cursor` for the next page; null on the last one.',
};

/** A page of items of one kind. */
export const page = <One>(item: new () => One): new () => Page<One> => {
  class PageSchema implements Page<One> {
    @ApiProperty({ type: () => [item] }) readonly items!: readonly One[];
    @OrNull(NEXT_CURSOR) readonly nextCursor!: string | null;
  }
  Object.defineProperty(PageSchema, 'name', { value: item.name.replace('Schema', 'PageSchema') });
  return PageSchema;
};
