import { describe, expect, it } from '@jest/globals';
import { WorkspaceKeys, equalInConstantTime, fingerprint, idOf, tokenHash } from './index.js';

const secret = new Uint8Array(32).fill(7);
const key = new WorkspaceKeys(secret).keyOf('main');

describe('the id that a key creates', () => {
  // Computed by another program (Python's uuid5).
  it('is fixed for ever: another value here would forget every key that was ever used', () => {
    expect(idOf('main', 'user:ada', 'submit', 'k1')).toBe('92d8c2a1-7dfd-5503-a64b-1359d286e490');
  });

  it.each([
    ['workspace', ['other', 'user:ada', 'submit', 'k1']],
    ['principal', ['main', 'user:bob', 'submit', 'k1']],
    ['action', ['main', 'user:ada', 'stop', 'k1']],
    ['key', ['main', 'user:ada', 'submit', 'k2']],
    ['places where its parts are cut', ['main', 'user', 'ada","submit', 'k1']],
  ])('differs with another %s', (_what, parts) => {
    const [workspace, principal, action, name] = parts as [string, string, string, string];
    expect(idOf(workspace, principal, action, name)).not.toBe(
      idOf('main', 'user:ada', 'submit', 'k1'),
    );
  });
});

describe('a fingerprint', () => {
  it('ignores the order of fields', () => {
    expect(fingerprint(key, { a: 1, b: { c: [2], d: 'x' } })).toBe(
      fingerprint(key, { b: { d: 'x', c: [2] }, a: 1 }),
    );
  });

  it.each<[string, unknown]>([
    ['another value', { a: 2 }],
    ['another field', { a: 1, b: undefined, c: null }],
    ['a number written as a text', { a: '1' }],
  ])('differs with %s', (_what, other) => {
    expect(fingerprint(key, other)).not.toBe(fingerprint(key, { a: 1 }));
  });

  it('differs in another workspace and under another secret, so that nobody can test guesses', () => {
    const others = [
      new WorkspaceKeys(secret).keyOf('other'),
      new WorkspaceKeys(secret).keyOf('main', 'token'),
      new WorkspaceKeys(new Uint8Array(32).fill(8)).keyOf('main'),
    ];
    const all = [key, ...others].map((one) => fingerprint(one, { a: 1 }));
    expect(new Set(all).size).toBe(4);
  });

  it('names its version', () => {
    expect(fingerprint(key, {})).toMatch(/^v1:[0-9a-f]{64}$/);
  });
});

describe('secrets', () => {
  it('refuses one that is too short to be one', () => {
    expect(() => new WorkspaceKeys(new Uint8Array(31))).toThrow(RangeError);
  });

  it('compares hashes', () => {
    expect(equalInConstantTime(tokenHash('a'), tokenHash('a'))).toBe(true);
    expect(equalInConstantTime(tokenHash('a'), tokenHash('b'))).toBe(false);
    expect(equalInConstantTime('', 'x')).toBe(false);
  });
});
