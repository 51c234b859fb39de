import { Unreadable, parseRequest } from '#nats';
import { Refusal } from './problem.error.js';

/** Only UTF-8 is JSON; other parameters of the media type mean nothing. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/**
 * A body as JSON, by the same rules as over NATS: strict UTF-8, bounded depth.
 *
 * @throws Refusal saying what is wrong with it.
 */
export const parseJsonBody = (contentType: string | undefined, body: Buffer): unknown => {
  const charset = CHARSET.exec(contentType ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Refusal('unsupported_media_type', 'send JSON as UTF-8');
  try {
    return parseRequest(body);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const code = error.problem.code === 'malformed_json' ? 'malformed_json' : 'body_too_large';
    throw new Refusal(code, error.problem.message, { cause: error });
  }
};
