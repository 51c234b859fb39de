import { describe, expect, it } from '@jest/globals';
import { findingOn } from './checkpoint.verdict.js';

const checkpoint = { name: 'runs', generation: '1', epoch: 2, sequence: 10, hash: 'abc' };

describe('a checkpoint', () => {
  it('may be followed on from when the stream holds the same commit', () => {
    expect(findingOn(checkpoint, { epoch: 2, end: 10, hash: 'abc' })).toBeNull();
    expect(findingOn(checkpoint, { epoch: 2, end: 500, hash: 'abc' })).toBeNull();
  });

  it('of the beginning may be followed on from in any stream of its epoch', () => {
    const first = { ...checkpoint, sequence: 0, hash: '' };
    expect(findingOn(first, { epoch: 2, end: 0, hash: undefined })).toBeNull();
  });

  it.each([
    ['a later epoch', { epoch: 3, end: 10, hash: 'abc' }, 'the stream is in epoch 3'],
    ['an earlier epoch', { epoch: 1, end: 10, hash: 'abc' }, 'the stream is in epoch 1'],
    ['an end before it', { epoch: 2, end: 9, hash: undefined }, 'the stream ends at 9'],
    ['another commit there', { epoch: 2, end: 10, hash: 'xyz' }, 'the stream was replaced'],
    ['no commit there', { epoch: 2, end: 20, hash: undefined }, 'the stream was replaced'],
  ])('stops at %s', (_what, stream, words) => {
    expect(findingOn(checkpoint, stream)).toContain(words);
  });
});
