import { describe, expect, it } from '@jest/globals';
import { hrefOfSpawns, pathOfSpawns, spawnFilterOf } from './spawn-filter.js';

describe('the filter of the list of spawns', () => {
  it('stands in the address of the page', () => {
    const filter = { status: 'failed', node: 'n1', unknown: 'true', cursor: 'WzFd' };
    const address = '/spawns?status=failed&node=n1&unknown=true&cursor=WzFd';
    expect(hrefOfSpawns(filter)).toBe(address);
    expect(spawnFilterOf(address.slice('/spawns?'.length))).toEqual(filter);
  });

  it('is empty for an address without one, and leaves none', () => {
    const none = { status: '', node: '', unknown: '', cursor: '' };
    expect(spawnFilterOf('')).toEqual(none);
    expect(hrefOfSpawns(none)).toBe('/spawns');
  });

  it('becomes a question to the server', () => {
    expect(pathOfSpawns({})).toBe('/spawns?limit=50');
    expect(pathOfSpawns({ unknown: 'true' })).toBe('/spawns?limit=50&unknown=true');
  });
});
