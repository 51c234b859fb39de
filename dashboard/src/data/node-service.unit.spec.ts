import { describe, expect, it } from '@jest/globals';
import { consequencesOfService, freePlaces, serviceChangeOf } from './node-service.js';
import { node, slot } from './system.fixture.js';

const DRAINED = { reason: 'new disk', actor: 'user:ada', since: '2026-01-01T12:00:00.000Z' };

describe('what can be done about a node’s service', () => {
  it('is to drain it, or to return it; nothing when it has left', () => {
    expect(serviceChangeOf(node())).toBe('drain');
    expect(serviceChangeOf(node({ drained: DRAINED }))).toBe('return');
    expect(serviceChangeOf(node({ membership: 'left' }))).toBe(null);
  });
});

describe('what draining a node does, as it is said before', () => {
  it('takes no new agents, touches none, and sends nothing to another node', () => {
    const words = consequencesOfService(node({ slots: [slot(), slot()] }), 'drain').join(' ');
    expect(words).toContain('gives no place to another agent until it is returned');
    expect(words).toContain('What holds its 2 places is not touched');
    expect(words).toContain('goes to no other node');
  });

  it('says of an empty one that it is empty', () => {
    expect(consequencesOfService(node(), 'drain')).toContain('It holds no agent now.');
    expect(consequencesOfService(node({ slots: [slot()] }), 'drain').join(' ')).toContain(
      'its one place is not touched',
    );
  });

  it('lets spawns that wait go on when it is returned', () =>
    expect(consequencesOfService(node(), 'return').join(' ')).toContain(
      'spawns that wait for it go on by themselves',
    ));
});

describe('the free places of a node', () => {
  it('are those that nobody holds, and never less than none', () => {
    expect(freePlaces(node({ capacity: 4, slots: [slot()] }))).toBe(3);
    expect(freePlaces(node({ capacity: 0, slots: [slot()] }))).toBe(0);
  });
});
