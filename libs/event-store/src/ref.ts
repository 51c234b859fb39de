import { InvalidCommit } from './port/errors.js';
import type { AggregateRef } from './port/event-store.js';

/** What a subject's token may be: no separators, wildcards, spaces or control characters. */
export const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** @throws InvalidCommit when a part of the reference can't stand in a subject. */
export const checkRef = (ref: AggregateRef): void => {
  for (const part of ['aggregate', 'workspace', 'id'] as const)
    if (typeof ref[part] !== 'string' || !isToken(ref[part]))
      throw new InvalidCommit(
        `${part} ${JSON.stringify(ref[part])} does not match ${TOKEN.source}`,
      );
};

/** The aggregate's subject. @throws InvalidCommit when a part of the reference can't stand in a subject. */
export const eventSubject = (ref: AggregateRef): string => {
  checkRef(ref);
  return `hf.ev.${ref.aggregate}.${ref.workspace}.${ref.id}`;
};

/** The aggregate that a subject belongs to, or undefined when it is not an aggregate's. */
export const parseEventSubject = (subject: string): AggregateRef | undefined => {
  const tokens = subject.split('.');
  const [hf, ev, aggregate = '', workspace = '', id = ''] = tokens;
  if (tokens.length !== 5 || hf !== 'hf' || ev !== 'ev') return undefined;
  if (![aggregate, workspace, id].every(isToken)) return undefined;
  return { aggregate, workspace, id };
};

/** The aggregate that records the epochs of the whole stream. */
export const EPOCH_REF: AggregateRef = { aggregate: 'epoch', workspace: '_', id: 'events' };
