import { ApiProperty } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';

/** Kinds of fields that answers have, as one-word decorators. */

interface Extras {
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
}

export const Text = (extras: Extras = {}): PropertyDecorator =>
  ApiProperty({ type: String, ...extras });
export const Id = (): PropertyDecorator => ApiProperty({ type: String, format: 'uuid' });
export const Name = (): PropertyDecorator =>
  ApiProperty({ type: String, pattern: '^[A-Za-z0-9_-]{1,64}$' });
export const Hash = (): PropertyDecorator =>
  ApiProperty({ type: String, pattern: '^[0-9a-f]{64}$' });
export const Time = (): PropertyDecorator => ApiProperty({ type: String, format: 'date-time' });
export const Count = (extras: Extras = {}): PropertyDecorator =>
  ApiProperty({ type: 'integer', ...extras });
/** A text, or null. */
export const OrNull = (extras: Extras = {}): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, ...extras });
export const Item = (type: Type): PropertyDecorator => ApiProperty({ type: () => type });
/** An object, or null. */
export const ItemOrNull = (type: Type): PropertyDecorator =>
  ApiProperty({ type: () => type, nullable: true });
