import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, buildMessage } from 'class-validator';

/** UUIDs are compared as text, and stand in subjects: only the canonical lower-case form is taken. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Names that stand in subjects: agents, nodes, workspaces, journals, incarnations. */
export const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
/** Who asks, such as `user:ada`. */
export const PRINCIPAL = /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}$/;
/** RFC 3339, with a time zone; fractions of a second down to milliseconds. */
export const RFC3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A moment as RFC 3339 has it, on a day that there is: dates are not rolled over into the next month. */
export const Moment = (): PropertyDecorator =>
  ValidateBy({
    name: 'moment',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && RFC3339.test(value) && isDay(value.slice(0, 10)),
      defaultMessage: buildMessage(
        (each) => `${each}$property must be a date and time as RFC 3339 has it`,
      ),
    },
  });

const isDay = (day: string): boolean => {
  const midnight = Date.parse(day);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
};

/** May be left out; `null` is not the same as left out. */
export const Optional = (): PropertyDecorator =>
  ValidateIf((_object, value: unknown) => value !== undefined);

/** A property that may be left out, as the OpenAPI document shows it. */
export const OptionalProperty =
  (options: ApiPropertyOptions): PropertyDecorator =>
  (target, key) => {
    Optional()(target, key);
    ApiPropertyOptional(options)(target, key);
  };

const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export const utf8Bytes = (text: string): number => utf8.encode(text).length;

/** The name under which {@link Utf8Text} reports a text that is too long. */
export const TOO_MANY_BYTES = 'tooManyBytes';

/**
 * A text that every part of the system can carry: at least one character, no lone surrogates (they have no UTF-8
 * form) and no U+0000 (neither a program's argument nor a Postgres text can hold it).
 *
 * @param bytesMax the most that it may have in UTF-8, in bytes.
 */
export const Utf8Text =
  (bytesMax: number): PropertyDecorator =>
  (target, key) => {
    ValidateBy({
      name: 'utf8Text',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' &&
          value.length > 0 &&
          !value.includes('\0') &&
          isWellFormed(value),
        defaultMessage: buildMessage(
          (each) => `${each}$property must be a text of at least 1 character, without U+0000`,
        ),
      },
    })(target, key);
    ValidateBy({
      name: TOO_MANY_BYTES,
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || utf8Bytes(value) <= bytesMax,
        defaultMessage: buildMessage(
          (each) => `${each}$property must have at most ${String(bytesMax)} bytes in UTF-8`,
        ),
      },
    })(target, key);
  };

/** Half of a surrogate pair stands alone: it has no UTF-8 form, and would be stored as another text. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** A whole number within bounds, both included. */
export const WholeNumber = (lowest: number, highest: number): PropertyDecorator =>
  ValidateBy({
    name: 'wholeNumber',
    validator: {
      validate: (value: unknown) =>
        Number.isSafeInteger(value) && (value as number) >= lowest && (value as number) <= highest,
      defaultMessage: buildMessage(
        (each) =>
          `${each}$property must be a whole number from ${String(lowest)} to ${String(highest)}`,
      ),
    },
  });

/** Where numbers come as text (a query string): whole numbers are read, everything else stays and is refused. */
export const NumberFromText = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** Where a yes or no comes as text (a query string): `true` and `false` are read, everything else is refused. */
export const FlagFromText = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    value === 'true' || value === 'false' ? value === 'true' : value,
  );

/** Where a list comes as text (a query string): separated by commas, or as a repeated parameter. */
export const ListFromText = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',') : value,
  );
