import { fitting, storableText, toStorableJson, type ColumnKind } from './row-values.js';

/** A value in the text format of COPY, as its column can hold it. */
export const copyText = (kind: ColumnKind, value: unknown): string => {
  if (value === null) return NULL; // Most columns of most rows.
  const fits = fitting(kind, value);
  return fits === null ? NULL : TEXTS[kind](fits);
};

const NULL = '\\N';

const TEXTS: Readonly<Record<ColumnKind, (fits: unknown) => string>> = {
  json: (fits) => escaped(toStorableJson(fits)),
  // Anything else becomes its JSON, as it does in json_populate_recordset.
  text: (fits) => escaped(typeof fits === 'string' ? storableText(fits) : toStorableJson(fits)),
  boolean: String,
  integer: String,
  bigint: String,
  time: String,
};

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const escaped = (text: string): string =>
  SPECIAL.test(text)
    ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)
    : text;

/** Joined to texts of about this length, characters: small enough to be garbage soon, large enough to be few. */
const CHUNK_LENGTH = 64 * 1024;

/** Lines as fewer, longer texts, each made when the one before was taken. */
export const copyChunks = function* (lines: Iterable<string>): Generator<string> {
  let chunk: string[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line);
    length += line.length;
    if (length < CHUNK_LENGTH) continue;
    yield chunk.join('');
    chunk = [];
    length = 0;
  }
  if (length > 0) yield chunk.join('');
};
