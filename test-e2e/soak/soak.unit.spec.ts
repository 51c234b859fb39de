import { describe, expect, it } from '@jest/globals';
import type { Commit } from '#event-store';
import { OPEN_RUN_STATUSES, SETTLED_RUN_STATUSES } from '#runs/contract';
import type { RunEvent } from '#runs/domain';
import { HEADLINE_ROWS } from './headline.rows.js';
import { OTHER_ROWS } from './headline.others.js';
import { headlinePage } from './headline.page.js';
import { summaryOf } from './measures.js';
import { parseSoakOptions } from './options.js';
import { ALL_PAIRS, nameOf, pairsHit, POSSIBLE_PAIRS, PROCESSES, whyImpossible } from './pairs.js';
import { verdictOf, type RoundReport, type SoakReport } from './report.js';
import { roundOf, STEERINGS } from './rounds.plan.js';
import { soakPage } from './soak.page.js';

const round = (changes: Partial<RoundReport> = {}): RoundReport => ({
  round: 1,
  seed: 1,
  steering: null,
  fault: 'commands killed',
  ms: 1_000,
  kills: 1,
  hits: POSSIBLE_PAIRS,
  statuses: { completed: 1 },
  sends: [0, 1],
  failures: {},
  furtherDispatches: 0,
  violations: [],
  ...changes,
});

const report = (changes: Partial<SoakReport> = {}): SoakReport => ({
  environment: {
    commit: 'c0ffee',
    dirty: false,
    machine: 'a machine',
    versions: { 'Node.js': '20' },
    durability: 'synced',
  },
  command: 'npm run soak --',
  startedAt: '2026-01-01T00:00:00Z',
  minutes: 1,
  seed: 1,
  load: [0, 1],
  interrupted: false,
  sabotage: null,
  control: { sabotage: 'without the claim', rounds: 1, violations: ['sent twice'] },
  rounds: Array.from({ length: 100 }, (_, at) => round({ round: at + 1 })),
  systems: 4,
  recoveryPrompts: 0,
  measures: {},
  timing: { windows: {}, problems: [], idleSweepCommits: 0 },
  leftBehind: [],
  ...changes,
});

describe('the table of pairs', () => {
  it('has every combination of a process and a state exactly once', () => {
    const states = [...OPEN_RUN_STATUSES, ...SETTLED_RUN_STATUSES];
    const wanted = PROCESSES.flatMap((process) => states.map((state) => `${process} × ${state}`));
    expect(ALL_PAIRS.map(nameOf)).toEqual(wanted);
    expect(new Set(wanted).size).toBe(PROCESSES.length * 9);
  });

  it('gives a reason for each that can not be, and for no other', () => {
    const impossible = ALL_PAIRS.filter((pair) => !POSSIBLE_PAIRS.includes(pair));
    expect(impossible).toHaveLength(6);
    for (const pair of impossible) expect(whyImpossible(pair)).toMatch(/\w+ \w+/);
    for (const pair of POSSIBLE_PAIRS) expect(whyImpossible(pair)).toBeNull();
  });
});

describe('what a kill hit', () => {
  const at = (storedAt: number, type: string, runId = 'r1'): Commit =>
    ({
      ref: { aggregate: 'run', workspace: 'main', id: runId },
      storedAt,
      events: [{ type, data: { runId, generation: 1 } } as unknown as RunEvent],
    }) as unknown as Commit;
  const commits = [
    at(100, 'RunSubmitted'),
    at(100, 'RunSubmitted', 'r2'),
    at(200, 'RunDispatched'),
    at(300, 'RunClaimed'),
  ];

  it('is where the runs stood before it, and not where they stood at the same moment or after', () => {
    const hit = (time: number) =>
      pairsHit(commits, ['r1', 'r2'], [{ victim: 'node-agent-n1', at: time }]).map(nameOf);
    expect(hit(100)).toEqual([]);
    expect(hit(200)).toEqual(['node-agent × queued', 'node-agent × queued']);
    expect(hit(300)).toEqual(['node-agent × dispatched', 'node-agent × queued']);
    expect(hit(301)).toEqual(['node-agent × running', 'node-agent × queued']);
  });

  it('is of a program and a shim only their own run, and of others nothing', () => {
    const hit = (victim: string, runId?: string) =>
      pairsHit(
        commits,
        ['r1', 'r2'],
        [{ victim, at: 400, ...(runId === undefined ? {} : { runId }) }],
      ).map(nameOf);
    expect(hit('program', 'r1')).toEqual(['program × running']);
    expect(hit('program-group', 'r1')).toEqual(['shim × running', 'program × running']);
    expect(hit('turns-runtime')).toEqual([]);
  });
});

describe('the plan', () => {
  it('covers every steering in its first rounds, and depends on seed and number alone', () => {
    const first = STEERINGS.map((_, at) => roundOf(7, at + 1).steering);
    expect(new Set(first)).toEqual(new Set(STEERINGS));
    expect(roundOf(7, 40)).toEqual(roundOf(7, 40));
    expect(STEERINGS.map((_, at) => roundOf(8, at + 1).steering)).not.toEqual(first);
    const later = Array.from({ length: 50 }, (_, at) => roundOf(7, STEERINGS.length + 1 + at));
    expect(later.filter(({ steering }) => steering === undefined)).toHaveLength(25);
  });
});

describe('the report', () => {
  it('claims everything when everything was done', () => {
    expect(verdictOf(report())).toMatchObject({ problems: [], missing: [], notHit: [] });
    const page = soakPage(report());
    expect(page).toContain('Every one of the 93 possible pairs');
    expect(page).not.toContain('not hit');
  });

  it('claims nothing when nothing was done', () => {
    const page = soakPage(report({ rounds: [] }));
    expect(page).toContain('No rounds were done');
    expect(page).not.toContain('nothing that was accepted was lost');
    expect(page).toContain('0 of 93 were');
  });

  it('refuses to claim a pair that was not hit, and names it', () => {
    const hits = POSSIBLE_PAIRS.filter((pair) => nameOf(pair) !== 'sagas × stopping');
    const without = report({ rounds: report().rounds.map((one) => ({ ...one, hits })) });
    expect(verdictOf(without).notHit).toEqual(['sagas × stopping']);
    const page = soakPage(without);
    expect(page).not.toContain('Every one of the');
    expect(page).toContain('Missing: sagas × stopping.');
    expect(page).toContain('**not hit**');
  });

  it('says so when a pair that can not be was hit', () => {
    const hits = [{ process: 'program', state: 'queued' } as const];
    expect(verdictOf(report({ rounds: [round({ hits })] })).problems).toContain(
      'program × queued was said to be impossible, and was hit',
    );
  });

  it('names a round that failed, and how to repeat it', () => {
    const failed = report({ rounds: [round({ round: 17, violations: ['r1 was sent twice'] })] });
    expect(verdictOf(failed).problems).toEqual(['round 17: r1 was sent twice']);
    expect(soakPage(failed)).toContain('--seed 1 --from 17 --rounds 1');
    expect(soakPage(failed)).not.toContain('nothing that was accepted was lost');
  });

  it.each([
    [
      'a negative control that caught nothing',
      { control: { sabotage: 'x', rounds: 5, violations: [] } },
    ],
    ['something left behind', { leftBehind: ['process 7'] }],
    [
      'a problem while it timed',
      { timing: { windows: {}, problems: ['late'], idleSweepCommits: 0 } },
    ],
  ])('has a problem with %s', (_what, changes: Partial<SoakReport>) => {
    expect(verdictOf(report(changes)).problems).toHaveLength(1);
  });

  it.each([
    ['no control', { control: null }],
    ['no timings', { timing: null }],
    ['an interruption', { interrupted: true }],
    ['changes in the checkout', { environment: { ...report().environment, dirty: true } }],
    ['99 rounds', { rounds: report().rounds.slice(1) }],
  ])('is too little with %s', (_what, changes: Partial<SoakReport>) => {
    expect(verdictOf(report(changes)).missing).toHaveLength(1);
  });
});

describe('the headline table', () => {
  const expanded = (ids: string): readonly number[] =>
    ids.split(', ').flatMap((part) => {
      const [from = 0, to = from] = part.split(' to ').map((id) => Number(id.replace('HF-', '')));
      return Array.from({ length: to - from + 1 }, (_, at) => from + at);
    });

  it('has each of the reference figures once', () => {
    const ids = [...HEADLINE_ROWS.map(({ id }) => id), ...OTHER_ROWS.map(([all]) => all)];
    const numbers = ids.flatMap(expanded).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: 69 }, (_, at) => at + 1));
  });

  it('says that nothing was measured where there are no samples', () => {
    const row = HEADLINE_ROWS.find(({ id }) => id === 'HF-03');
    expect(row?.ours(report())).toMatchObject({ kind: 'not-measured' });
    expect(headlinePage(report())).toContain('Not measured in this run: HF-01, HF-02');
  });

  it('says that a figure was missed when its worst sample was', () => {
    const measures = { 'unknown.recorded': [9_000, 15_601] };
    expect(headlinePage(report({ measures }))).toContain('HF-03');
    const row = HEADLINE_ROWS.find(({ id }) => id === 'HF-03');
    expect(row?.ours(report({ measures }))).toEqual({
      kind: 'measured',
      value: 'median 12.3 s, worst 15.6 s of 2',
      met: false,
    });
  });

  it('takes no median of nothing', () => {
    expect(summaryOf([])).toBeUndefined();
    expect(summaryOf([3, 1, 2])).toEqual({ n: 3, median: 2, p99: 3, worst: 3 });
  });
});

describe('the options', () => {
  it('bound the rounds, unless the time does', () => {
    expect(parseSoakOptions([])).toMatchObject({ rounds: 100, minutes: Infinity });
    expect(parseSoakOptions(['--minutes', '4'])).toMatchObject({ rounds: Infinity, minutes: 4 });
    expect(parseSoakOptions(['--minutes', '4', '--rounds', '9'])).toMatchObject({ rounds: 9 });
  });

  it.each([
    [['--rounds', '0'], '--rounds: "0" is not a number from 1 to 100000'],
    [['--seed', '1.5'], '--seed: "1.5" is not a whole number'],
    [['--only', 'all'], '--only: "all" is not one of control, timings, rounds'],
  ])('%j is refused in words', (argv, message) => {
    expect(() => parseSoakOptions(argv)).toThrow(message);
  });
});
