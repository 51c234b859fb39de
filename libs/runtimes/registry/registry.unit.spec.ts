import { describe, expect, it } from '@jest/globals';
import { runtimeByName, runtimeNames } from './index.js';

describe('the runtimes of this build', () => {
  it('are found by the names that configurations use', () => {
    expect(runtimeNames()).toEqual(['cli', 'resumable-sample']);
    for (const name of runtimeNames()) expect(runtimeByName(name)?.name).toBe(name);
    expect(runtimeByName('no-such-runtime')).toBeUndefined();
  });
});
