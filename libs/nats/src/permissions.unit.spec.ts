import { describe, expect, it } from '@jest/globals';
import { CLIENT_COMMANDS } from './names.js';
import { NATS_SERVICES, natsUserOf, permissionsFor, type NatsPrincipal } from './permissions.js';

const PRINCIPALS: readonly NatsPrincipal[] = [...NATS_SERVICES, { workspace: 'main', node: 'n1' }];
const STRICT = ['hf.cmd.spawns.strictInvoke', 'hf.cmd.spawns.replay'];

/** Whether a pattern of the broker takes in a subject. */
const covers = (pattern: string, subject: string): boolean => {
  const tokens = subject.split('.');
  const parts = pattern.split('.');
  return (
    parts.every((part, index) => {
      if (part === '>') return index < tokens.length;
      return part === '*' ? index < tokens.length : part === tokens[index];
    }) &&
    (parts.at(-1) === '>' || parts.length === tokens.length)
  );
};
const whoMay = (right: 'publish' | 'subscribe', subject: string): readonly string[] =>
  PRINCIPALS.filter((principal) =>
    permissionsFor(principal)[right].some((pattern) => covers(pattern, subject)),
  ).map(natsUserOf);

describe('the subjects of clients', () => {
  it.each(STRICT)(
    '%s is asked by the gateway alone, and heard by commands alone (@SP-14)',
    (subject) => {
      expect(whoMay('publish', subject)).toEqual(['gateway']);
      expect(whoMay('subscribe', subject)).toEqual(['commands']);
    },
  );

  it.each(STRICT)(
    '%s is no part of a pattern: whoever may ask for it has it by name (@SP-14)',
    (subject) => {
      const { publish } = permissionsFor('gateway');
      expect(publish.filter((pattern) => covers(pattern, subject))).toEqual([subject]);
    },
  );

  it('none is asked by a node or by another service (@SP-14)', () => {
    const others = CLIENT_COMMANDS.flatMap((subject) => whoMay('publish', subject));
    expect([...new Set(others)]).toEqual(['gateway']);
  });
});
