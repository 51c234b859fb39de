import { describe, expect, it } from '@jest/globals';
import { RequestTimes } from './request-times.js';

describe('the times of requests', () => {
  it('are told route by route, the slowest first', () => {
    const times = new RequestTimes(() => 0);
    for (let ms = 1; ms <= 100; ms += 1) times.note('GET /v1/runs', ms);
    times.note('POST /v1/stops', 250.04);
    expect(times.look()).toEqual([
      { route: 'POST /v1/stops', count: 1, p50Ms: 250, p99Ms: 250 },
      { route: 'GET /v1/runs', count: 100, p50Ms: 50, p99Ms: 99 },
    ]);
  });

  it('are forgotten after five minutes', () => {
    let now = 0;
    const times = new RequestTimes(() => now);
    times.note('GET /v1/runs', 9_000);
    now = 299_000;
    times.note('GET /v1/runs', 2);
    expect(times.look()[0]).toMatchObject({ count: 2, p99Ms: 9_000 });
    now = 301_000;
    expect(times.look()).toEqual([{ route: 'GET /v1/runs', count: 1, p50Ms: 2, p99Ms: 2 }]);
    now = 700_000;
    expect(times.look()).toEqual([]);
  });

  it('are bounded: the newest of each route, and so many routes', () => {
    const times = new RequestTimes(() => 0);
    for (let made = 0; made < 1_000; made += 1) times.note('GET /v1/runs', made);
    expect(times.look()[0]).toMatchObject({ count: 256, p50Ms: 871 });
    for (let route = 0; route < 1_000; route += 1) times.note(`GET /${String(route)}`, 1);
    expect(times.look()).toHaveLength(64);
  });
});
