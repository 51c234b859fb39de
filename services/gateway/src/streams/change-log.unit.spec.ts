import { describe, it, expect } from '@jest/globals';
import type { ChangeView } from '#contracts';
import { ChangeLog, PAGES_KEPT_MAX, type ChangePage } from './change-log.js';

const change = (id: string): ChangeView => ({ kind: 'run', id, status: 'queued' });
const page = (from: number, to: number, ...ids: string[]): ChangePage => ({
  from,
  to,
  items: ids.map(change),
});

describe('the log of changes', () => {
  it('gives each viewer what came after its position', () => {
    const log = new ChangeLog(10);
    const [first, second] = [page(10, 12, 'a'), page(12, 15, 'b', 'c')];
    log.append(first);
    log.append(second);
    expect(log.after(10)).toEqual([first, second]);
    expect(log.after(12)).toEqual([second]);
    expect(log.after(15)).toEqual([]);
    expect(log.end).toBe(15);
  });

  it('repeats a page of which a viewer saw only some', () => {
    const log = new ChangeLog(10);
    log.append(page(10, 15, 'a', 'b'));
    expect(log.after(12)).toEqual([page(10, 15, 'a', 'b')]);
  });

  it('moves on over positions at which nothing changed, and keeps no page for them', () => {
    const log = new ChangeLog(10);
    log.append(page(10, 20));
    expect(log.after(10)).toEqual([]);
    expect(log.end).toBe(20);
    expect(log.after(9)).toBe(undefined);
  });

  it('says when it no longer holds what a viewer lacks', () => {
    const log = new ChangeLog(0);
    for (let at = 0; at <= PAGES_KEPT_MAX; at += 1) log.append(page(at, at + 1, 'x'));
    expect(log.after(0)).toBe(undefined);
    expect(log.after(1)).toHaveLength(PAGES_KEPT_MAX);
  });
});
