import { expect, it } from '@jest/globals';

const decided = [{ type: 'RunSubmitted', data: { at: 1 } }];
it('is submitted', () => {
  expect(decided[0]).toMatchObject({ type: 'RunSubmitted' }); // refused
  expect(decided).toEqual([expect.objectContaining({ type: 'RunSubmitted' })]); // refused
  expect(decided).toEqual([{ type: 'RunSubmitted', data: expect.anything() }]); // refused
});
