import { describe, expect, it } from '@jest/globals';
import { initialSession } from '../domain/index.js';
import { nextSession } from './session.next.js';

const empty = initialSession('opener');
const waiting = { ...empty, queue: ['a', 'b'] };

describe('what a session needs now', () => {
  it.each([true, false])('is nothing while nobody waits (active run over: %s)', (activeOver) => {
    expect(nextSession(empty, { activeOver })).toStrictEqual({ kind: 'nothing' });
  });

  it('is to wait for the run that holds it', () => {
    expect(nextSession(waiting, { activeOver: false })).toStrictEqual({
      kind: 'wait',
      waitsFor: 'run opener, which holds the session',
    });
  });

  it('is to give its place away when that run is over', () => {
    expect(nextSession(waiting, { activeOver: true })).toStrictEqual({
      kind: 'take',
      step: { kind: 'advance', released: 'opener' },
    });
  });
});
