import { describe, expect, it } from '@jest/globals';
import { nextOfResume, type OurTurn } from './resume.next.js';

const turn = (name: string, status: OurTurn['status'], key = 'run'): OurTurn => ({
  thread: 'thread',
  turn: name,
  status,
  answer: '',
  key,
});
const next = (turns: readonly OurTurn[], sent: readonly string[] = []) =>
  nextOfResume('run', { kind: 'turns', turns }, sent);
const first = 'run:recovery:1';
const second = 'run:recovery:2';

describe('a resumption', () => {
  it('waits while another process works in the thread', () =>
    expect(nextOfResume('run', { kind: 'active-elsewhere' }, [])).toEqual({ kind: 'wait' }));

  it('is lost when the runtime can not be asked', () =>
    expect(nextOfResume('run', { kind: 'cannot-ask' }, [])).toEqual({
      kind: 'lost',
      reason: 'runtime-cannot-be-asked',
    }));

  it('is lost when the history shows nothing', () =>
    expect(next([])).toEqual({ kind: 'lost', reason: 'not-in-history' }));

  it.each(['completed', 'failed'] as const)('copies what is %s', (status) =>
    expect(next([turn('a', status)])).toEqual({ kind: 'copy', turn: turn('a', status) }),
  );

  it('follows what still works', () =>
    expect(next([turn('a', 'running')])).toEqual({ kind: 'attach', turn: turn('a', 'running') }));

  it('asks once to go on with what the runtime interrupted', () =>
    expect(next([turn('a', 'interrupted')])).toEqual({
      kind: 'recover',
      turn: turn('a', 'interrupted'),
      key: first,
    }));

  it('reads a recovery back like any turn', () => {
    const recovery = turn('b', 'completed', first);
    expect(next([turn('a', 'interrupted'), recovery], [first])).toEqual({
      kind: 'copy',
      turn: recovery,
    });
  });

  it('asks again, under another key, when the recovery was interrupted as well', () => {
    const recovery = turn('b', 'interrupted', first);
    expect(next([turn('a', 'interrupted'), recovery], [first])).toEqual({
      kind: 'recover',
      turn: recovery,
      key: second,
    });
  });

  it('is lost when a recovery may have been sent and does not show', () => {
    const lost = { kind: 'lost', reason: 'recovery-not-in-history' };
    expect(next([turn('a', 'interrupted')], [first])).toEqual(lost);
    expect(
      next([turn('a', 'interrupted'), turn('b', 'interrupted', first)], [first, second]),
    ).toEqual(lost);
  });
});
