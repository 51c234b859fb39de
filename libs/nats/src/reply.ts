import type { Json } from '#kernel';

/** A request was not carried out, in the words of the wire. */
export interface Problem {
  /** Stable. Match on this, never on the message. */
  readonly code: string;
  readonly message: string;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  readonly details?: Json;
}

/** The two replies there are. */
export type Reply = { readonly ok: unknown } | { readonly error: Problem };

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  typeof value.code === 'string' &&
  'message' in value &&
  typeof value.message === 'string' &&
  'retryable' in value &&
  typeof value.retryable === 'boolean';

/** A request that could not even be read. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** The largest request, in bytes. Source: the protocol, the same over HTTP and NATS. */
export const REQUEST_BYTES_MAX = 512 * 1024;
/** How deep JSON may be nested: deeper than any request of ours, far shallower than what overflows a parser. */
export const JSON_DEPTH_MAX = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict: the bytes are UTF-8, the text is JSON of bounded depth and size. @throws Unreadable */
export const parseRequest = (data: Uint8Array): unknown => {
  if (data.length > REQUEST_BYTES_MAX)
    throw unreadable('payload_too_large', `a request has at most ${REQUEST_BYTES_MAX} bytes`);
  let text: string;
  try {
    text = utf8.decode(data);
  } catch {
    throw unreadable('malformed_json', 'the request is not UTF-8');
  }
  if (depthOf(data) > JSON_DEPTH_MAX)
    throw unreadable('malformed_json', `the request is nested deeper than ${JSON_DEPTH_MAX}`);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('malformed_json', 'the request is not JSON');
  }
};

const unreadable = (code: string, message: string): Unreadable =>
  new Unreadable({ code, message, retryable: false });

/** What of JSON's grammar tells how deep it is nested, and where texts begin and end. Bytes: no other character contains them. */
const BYTE = {
  quote: 0x22,
  backslash: 0x5c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Counted on the bytes, before any parser recurses into what they say. */
const depthOf = (json: Uint8Array): number => {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isString) {
      if (byte === BYTE.backslash) at += 1;
      else if (byte === BYTE.quote) isString = false;
    } else if (byte === BYTE.quote) isString = true;
    else if (byte === BYTE.openBrace || byte === BYTE.openBracket)
      deepest = Math.max(deepest, (depth += 1));
    else if (byte === BYTE.closeBrace || byte === BYTE.closeBracket) depth -= 1;
  }
  return deepest;
};
