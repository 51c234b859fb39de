/** One event of a `text/event-stream`. */
export interface ServerEvent {
  /** What to send as `Last-Event-ID` to go on after it; the last one that the server named. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** A line of an event stream is at most this long, in characters: an output chunk of 64 KiB in base64, with room to spare. */
const LINE_MAX = 1_048_576;

/**
 * Reads server-sent events as they arrive; comments (heartbeats) are skipped.
 *
 * @throws Error a line exceeds {@link LINE_MAX}: that is no event stream of ours.
 */
export async function* readServerEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | undefined;
  let event = '';
  let data: string[] = [];
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX) throw new Error('a line of the event stream never ends');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === 'id') id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
  }
}
