import { describe, expect, it } from '@jest/globals';
import { InvalidCommit } from '#event-store';
import { frameConsumerName } from './names.js';
import { natsUserOf, permissionsFor } from './permissions.js';
import {
  askSubject,
  frameSubject,
  isWorkspaceName,
  leaseSubject,
  nodeCommandSubject,
  observerLeaseSubject,
  outputSubject,
  parseFrameSubject,
} from './subjects.js';
import { declaredStreams } from './topology.js';

const frame = { workspace: 'main', node: 'n1', journalId: 'j1', work: 'r1', generation: 3 };
const output = { workspace: 'main', run: 'r1', node: 'n1' };

describe('subjects', () => {
  it('are built from tokens', () => {
    expect(frameSubject(frame)).toBe('hf.frame.main.n1.j1.r1.3');
    expect(outputSubject(output)).toBe('hf.output.main.r1.n1');
    expect(leaseSubject('main', 'n1')).toBe('hf.lease.main.n1');
    expect(observerLeaseSubject('r-1')).toBe('hf.lease._observer.r-1');
    expect(askSubject('main', 'n1')).toBe('hf.ask.main.n1');
    expect(nodeCommandSubject('runs.claim', 'main', 'n1')).toBe('hf.cmd.runs.claim.main.n1');
  });

  it.each(['', 'a.b', '*', '>', 'a b', 'a\n', 'ä', 'x'.repeat(65)])(
    'refuse %j as a token',
    (bad) => {
      expect(() => frameSubject({ ...frame, work: bad })).toThrow(InvalidCommit);
      for (const part of ['workspace', 'run', 'node'])
        expect(() => outputSubject({ ...output, [part]: bad })).toThrow(InvalidCommit);
      expect(() => askSubject('main', bad)).toThrow(InvalidCommit);
      expect(() => natsUserOf({ workspace: 'main', node: bad })).toThrow();
      expect(() => permissionsFor({ workspace: '_observer', node: 'n1' })).toThrow();
      expect(isWorkspaceName(bad)).toBe(false);
    },
  );

  it('leave names with a leading underscore to the system', () => {
    expect([
      isWorkspaceName('_observer'),
      isWorkspaceName('_'),
      isWorkspaceName('main'),
    ]).toStrictEqual([false, false, true]);
  });

  it('give a frame its address back, and nothing else one', () => {
    expect(parseFrameSubject(frameSubject(frame))).toStrictEqual(frame);
    for (const generation of [0, -1, 1.5, Number.NaN])
      expect(() => frameSubject({ ...frame, generation })).toThrow(InvalidCommit);
    for (const bad of ['hf.frame.main.n1.j1.r1', 'hf.frame.main.n1.j1.r1.01', 'hf.ev.a.b.c.d.1'])
      expect(parseFrameSubject(bad)).toBeUndefined();
  });

  it('of two nodes are never the same, however they are called', () => {
    const [one, other] = [
      { workspace: 'a-b', node: 'c' },
      { workspace: 'a', node: 'b-c' },
    ];
    expect(frameConsumerName(one.workspace, one.node)).not.toBe(
      frameConsumerName(other.workspace, other.node),
    );
    expect(natsUserOf(one)).not.toBe(natsUserOf(other));
  });
});

describe('the streams', () => {
  it('store nothing that is asked or answered', () => {
    const subjects = declaredStreams({ replicas: 1 }).flatMap(({ config }) => config.subjects);
    const kinds = subjects.map((subject) => subject.split('.').slice(0, 2).join('.'));
    expect(kinds.sort()).toStrictEqual(['hf.ev', 'hf.frame', 'hf.lease', 'hf.output']);
  });

  it('are kept for good, all but the leases', () => {
    for (const { name, config } of declaredStreams({ replicas: 3 })) {
      const isLedger = name !== 'HF_LEASES';
      expect([config.deny_delete, config.deny_purge, config.discard]).toStrictEqual(
        isLedger ? [true, true, 'new'] : [false, false, 'old'],
      );
      expect([config.storage, config.num_replicas, config.max_age]).toStrictEqual(['file', 3, 0]);
    }
  });
});

describe('permissions', () => {
  it('let three services append events, and nobody else', () => {
    const appending = [
      'gateway',
      'commands',
      'sagas',
      'projector',
      'queries',
      'reconciler',
    ] as const;
    const mayAppend = (publish: readonly string[]) =>
      publish.some((subject) => subject.startsWith('hf.ev') || subject.startsWith('hf.frame'));
    expect(appending.filter((one) => mayAppend(permissionsFor(one).publish))).toStrictEqual([
      'commands',
      'sagas',
      'reconciler',
    ]);
    expect(mayAppend(permissionsFor({ workspace: 'main', node: 'n1' }).publish)).toBe(false);
  });
});
