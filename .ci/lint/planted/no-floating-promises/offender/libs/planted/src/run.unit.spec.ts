import { expect, it } from '@jest/globals';

it('is refused', () => {
  expect(Promise.reject(new Error('no'))).rejects.toThrow('no'); // refused
});
