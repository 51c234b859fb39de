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
  if (depthOf(text) > JSON_DEPTH_MAX)
    throw unreadable('malformed_json', `the request is nested deeper than ${JSON_DEPTH_MAX}`);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('malformed_json', 'the request is not JSON');
  }
};

const unreadable = (code: string, message: string): Unreadable =>
  new Unreadable({ code, message, retryable: false });

/** Counted on the text, before any parser recurses into it. */
const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isString) {
      if (character === '\\') at += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
};
