import { describe, fit, it, test, xdescribe } from '@jest/globals';

describe.only('a run', () => { // refused
  it.skip('is skipped', () => undefined); // refused
  it.todo('is not written'); // refused
  test.failing('is expected to fail', () => undefined); // refused
  it.only.each([1])('is focused, %d', () => undefined); // refused
  fit('is focused', () => undefined); // refused
});
xdescribe('a group', () => undefined); // refused
