import { expect, it } from '@jest/globals';

const decided = [{ type: 'RunSubmitted', data: { at: 1 } }];
it('is submitted', () => {
  expect(decided).toEqual([{ type: 'RunSubmitted', data: { at: 1 } }]);
});
