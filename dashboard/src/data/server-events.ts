/** One event of a `text/event-stream`. */
export interface ServerEvent {
  /** Goes back as `Last-Event-ID` to go on after it; null when the event has no name of its own. */
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/** An event has at most so many characters: a chunk of output, 64 KiB in base64, with room to spare. */
const EVENT_MAX = 1_048_576;

/**
 * Events as their text comes in, however it is cut. Comments are skipped: they only show that the connection lives.
 *
 * @throws Error an event exceeds {@link EVENT_MAX}: that is no stream of ours.
 */
export async function* readEvents(texts: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const text of texts) {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    if (rest.length > EVENT_MAX) throw new Error('an event of the stream never ends');
    for (const part of parts) {
      const event = parseEvent(part);
      if (event !== null) yield event;
    }
  }
}

/** One event; null for what carries no data. */
export const parseEvent = (text: string): ServerEvent | null => {
  const data: string[] = [];
  let id: string | null = null;
  let type = 'message';
  for (const line of text.split('\n')) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line.replace(/\r$/, '')) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, type, data: data.join('\n') };
};
