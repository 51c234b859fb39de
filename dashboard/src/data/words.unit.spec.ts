import { describe, expect, it } from '@jest/globals';
import { ago, duration, eventName, size, splitAtIds } from './words.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('words for measures', () => {
  it.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [59_999, '59 s'],
    [MINUTE, '1 min 0 s'],
    [HOUR - 1, '59 min 59 s'],
    [HOUR + 61 * SECOND, '1 h 1 min'],
    [DAY + HOUR, '1 d 1 h'],
  ])('%d ms took %s', (ms, words) => expect(duration(ms)).toBe(words));

  it.each([
    [-3_000, 'just now'],
    [1_400, 'just now'],
    [2_000, '2 s ago'],
    [59_000, '59 s ago'],
    [MINUTE, '1 min ago'],
    [2 * HOUR, '2 h ago'],
    [3 * DAY, '3 d ago'],
  ])('%d ms before now is %s', (ms, words) => expect(ago(ms)).toBe(words));

  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [16 * 1_024 * 1_024, '16.0 MiB'],
  ])('%d bytes are %s', (bytes, words) => expect(size(bytes)).toBe(words));
});

describe('the name of an event', () => {
  it.each([
    ['RunSubmitted', 'Submitted'],
    ['RunOutcomeUnknown', 'Outcome unknown'],
    ['SpawnSettledUnknown', 'Settled unknown'],
    ['SpawnLateEvidenceRecorded', 'Late evidence recorded'],
    ['LateEvidenceRecorded', 'Late evidence recorded'],
    ['Running', 'Running'],
  ])('%s is read as %s', (type, name) => expect(eventName(type)).toBe(name));
});

describe('a sentence with ids in it', () => {
  const id = '247610f4-dedd-4ab7-847d-07dbda19c81c';
  it('is split at them', () =>
    expect(splitAtIds(`waits for run ${id}, which holds the session`)).toEqual([
      'waits for run ',
      id,
      ', which holds the session',
    ]));
  it('stays whole without any', () =>
    expect(splitAtIds('settled by node')).toEqual(['settled by node']));
});
