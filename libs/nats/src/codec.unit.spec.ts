import { describe, expect, it } from '@jest/globals';
import { StreamDiverged, encodeBody, eventSubject, type AppendRequest } from '#event-store';
import type { DomainEvent } from '#kernel';
import {
  decodeCommit,
  encodeHeaders,
  messageIdOf,
  previousOf,
  type StoredMessage,
} from './codec.js';

const request: AppendRequest<DomainEvent> = {
  ref: { aggregate: 'run', workspace: 'main', id: 'r-1' },
  expected: 41,
  commandId: 'c 1',
  events: [
    { type: 'One', data: { text: 'ü' } },
    { type: 'Two', data: {} },
  ],
  metadata: {
    command: 'DoThing',
    actor: 'user:ada',
    causationId: 'line\nbreak and 100 %',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
};

const stored = (of: AppendRequest<DomainEvent> = request): StoredMessage => {
  const body = encodeBody(of);
  return {
    subject: eventSubject(of.ref),
    sequence: 57,
    headers: encodeHeaders(of, body, 'HF_EVENTS'),
    data: body.bytes,
    storedAt: 1_764_000_000_000,
  };
};

describe('a commit as a message', () => {
  it('has the headers that the broker and the readers need', () => {
    const { headers } = stored();
    const all = Object.fromEntries(headers.keys().map((name) => [name, headers.get(name)]));
    expect(all).toStrictEqual({
      'Nats-Msg-Id': messageIdOf('hf.ev.run.main.r-1', 'c 1'),
      'Nats-Expected-Last-Subject-Sequence': '41',
      'Nats-Expected-Stream': 'HF_EVENTS',
      'hf-prev': '41',
      'hf-command-id': 'c%201',
      'hf-command': 'DoThing',
      'hf-types': 'One,Two',
      'hf-schema': '1',
      'hf-body-sha256': encodeBody(request).hash,
      'hf-actor': 'user:ada',
      'hf-causation': 'line%0Abreak%20and%20100%20%25',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    });
  });

  it('is the array of its events; with a snapshot, an object of both', () => {
    const text = (of: AppendRequest<DomainEvent>) => new TextDecoder().decode(stored(of).data);
    expect(text(request)).toBe('[{"type":"One","data":{"text":"ü"}},{"type":"Two","data":{}}]');
    const withSnapshot = { ...request, events: [request.events[1]!], snapshot: { n: 1 } };
    expect(text(withSnapshot)).toBe('{"events":[{"type":"Two","data":{}}],"snapshot":{"n":1}}');
    expect(stored(withSnapshot).headers.get('hf-snapshot')).toBe('1');
  });

  it('is read back as it was', () => {
    expect(decodeCommit(stored())).toStrictEqual({
      ref: request.ref,
      revision: 57,
      previous: 41,
      commandId: 'c 1',
      bodyHash: encodeBody(request).hash,
      events: request.events,
      metadata: request.metadata,
      schema: 1,
      storedAt: 1_764_000_000_000,
    });
    expect(decodeCommit(stored({ ...request, snapshot: null })).snapshot).toBeNull();
    expect(previousOf(stored())).toBe(41);
  });

  it('has a message id of its command on its aggregate alone', () => {
    const ids = [
      messageIdOf('hf.ev.run.main.r-1', 'c-1'),
      messageIdOf('hf.ev.run.main.r-2', 'c-1'),
      messageIdOf('hf.ev.run.main.r-1', 'c-2'),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(messageIdOf('hf.ev.run.main.r-1', 'c-1')).toBe(ids[0]);
  });

  it.each<[string, (message: StoredMessage) => Partial<StoredMessage>]>([
    ['another body', () => ({ data: new TextEncoder().encode('[]') })],
    ['another subject', () => ({ subject: 'hf.frame.main.n1' })],
    ['no command id', (message) => (message.headers.delete('hf-command-id'), {})],
    ['no predecessor', (message) => (message.headers.delete('hf-prev'), {})],
    ['a predecessor that is no number', (message) => (message.headers.set('hf-prev', '1e3'), {})],
  ])('with %s is refused', (_what, change) => {
    const message = stored();
    expect(() => decodeCommit({ ...message, ...change(message) })).toThrow(StreamDiverged);
  });
});
