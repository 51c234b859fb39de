import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RuleViolation } from '#kernel';
import { decodeCursor, encodeCursor, pageOf } from './paging.js';

describe('a cursor', () => {
  it('leads back to the sort key that it was made of', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.string().filter((text) => !text.includes('\0')),
        (at, id) => {
          const cursor = encodeCursor([at, id]);
          expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(decodeCursor(cursor, ['number', 'string'])).toEqual([at, id]);
        },
      ),
    );
  });

  it('may be left out', () => {
    expect(decodeCursor(undefined, ['string'])).toBeUndefined();
  });

  it.each([
    ['no JSON', 'abc'],
    ['of another list', encodeCursor(['only a name'])],
    ['with other kinds', encodeCursor(['text', 1])],
    ['with a time that no database has', encodeCursor([1e18, 'id'])],
    ['with a negative time', encodeCursor([-1, 'id'])],
    ['with half a millisecond', encodeCursor([0.5, 'id'])],
    ['with a character that no text column has', encodeCursor([1, 'a\0b'])],
    ['that is an object', Buffer.from('{"length":2}').toString('base64url')],
  ])('is refused when it is %s', (_what, cursor) => {
    const decode = (): unknown => decodeCursor(cursor, ['number', 'string']);
    expect(decode).toThrow(RuleViolation);
    expect(decode).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: {
          errors: [{ path: 'cursor', problem: 'cursor must be the nextCursor of another page' }],
        },
      }),
    );
  });
});

describe('a page', () => {
  const keyOf = (item: number): [number] => [item];

  it('has a next one only when more was found than it shows', () => {
    expect(pageOf([], 2, keyOf)).toEqual({ items: [], nextCursor: null });
    expect(pageOf([1, 2], 2, keyOf)).toEqual({ items: [1, 2], nextCursor: null });
    expect(pageOf([1, 2, 3], 2, keyOf)).toEqual({ items: [1, 2], nextCursor: encodeCursor([2]) });
  });
});
