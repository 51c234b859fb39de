import { attemptsMax, type RunClass } from '#runs/contract';
import { summaryOf } from './measures.js';
import {
  counted,
  doublesOf,
  killsOf,
  openAtKillsOf,
  timed,
  timedP99,
  windowed,
  measured,
  type HeadlineRow,
} from './headline.js';
import { ms, totalsOf } from './soak.page.js';

const classOf = (attempts: RunClass['attempts']): RunClass => ({
  runtime: 'any',
  attempts,
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: false,
  outlivesClient: false,
});

/** Ends of a run that a restart could be to blame for; what a program or an operator did is none. */
const BLAMED_ON_RESTARTS = ['RUN_STRANDED', 'RUN_NEVER_STARTED', 'RUN_ATTEMPTS_EXHAUSTED'];

/** The reference figures, in their order, and how ours are taken from a report. */
export const HEADLINE_ROWS: readonly HeadlineRow[] = [
  {
    id: 'HF-01',
    figure:
      'a replacement works after SIGKILL of a worker (here: of each of the seven services, under load)',
    reference: '6.1 s',
    goal: '≤ 6 s',
    ours: timed([/^replacement\.ready\.(?!nats-server|postgres)/], 6_000),
  },
  {
    id: 'HF-02',
    figure: 'the second attempt of a resumable turn begins after the kill',
    reference: '16.6 s',
    goal: '≤ 16 s',
    ours: timed(['resumption.claimed'], 16_000),
  },
  {
    id: 'HF-03',
    figure: 'the lost attempt of a single-attempt run is declared after the kill',
    reference: '15.6 s',
    goal: '≤ 15.6 s',
    ours: timed(['unknown.recorded', 'unknown.told'], 15_600),
  },
  {
    id: 'HF-04',
    figure: 'lease (heartbeat time-out), as configured',
    reference: '15 s',
    goal: '≤ 15 s',
    ours: windowed('leaseMs', 15_000),
  },
  {
    id: 'HF-05',
    figure: 'most attempts of a resumable / a single-attempt run',
    reference: '5 / 1',
    goal: 'the same',
    ours: () => {
      const ours = `${attemptsMax(classOf('resumable'))} / ${attemptsMax(classOf('single'))}`;
      return measured(`${ours} (as the contract of runs has it)`, ours === '5 / 1');
    },
  },
  {
    id: 'HF-06',
    figure: 'SIGTERM to exit with code 0, three runs in flight',
    reference: '30.1 s',
    goal: '≤ 30 s, better 10 s',
    ours: timed([/^sigterm\./], 30_000),
  },
  {
    id: 'HF-07',
    figure: 'a single-attempt run that was lost is shown as unknown after the kill',
    reference: '180.8 s',
    goal: '≤ 30 s',
    ours: timed(['unknown.shown'], 30_000),
  },
  {
    id: 'HF-08',
    figure: 'time between sweeps / worst staleness that is visible',
    reference: '2 min / about 5 min',
    goal: '≤ 5 s / ≤ 30 s',
    ours: ({ timing, measures }) => {
      const shown = summaryOf(measures['unknown.shown'] ?? []);
      const sweepMs = timing?.windows['sweepMs'];
      if (shown === undefined || sweepMs === undefined)
        return { kind: 'not-measured', why: 'not timed in this run' };
      return measured(
        `${ms(sweepMs)} / ${ms(shown.worst)}`,
        sweepMs <= 5_000 && shown.worst <= 30_000,
      );
    },
  },
  {
    id: 'HF-09',
    figure: 'kill suite',
    reference: '3 cases in about 4 min',
    goal: '≥ 3 cases, ≤ 4 min',
    ours: counted(({ rounds }) => {
      const each = summaryOf(rounds.map(({ ms: of }) => of));
      const median = each?.median ?? 0;
      return {
        value: `${rounds.length} rounds, median ${ms(median)} each`,
        met: rounds.length >= 3 && 3 * (each?.worst ?? 0) <= 240_000,
      };
    }),
  },
  {
    id: 'HF-10',
    figure: 'initial prompts over kills',
    reference: '1 a run, over 3 kills',
    goal: '≤ 1 a run, over ≥ 100 random kills',
    ours: counted((report) => ({
      value: `${doublesOf(report)} runs with more than 1, over ${killsOf(report)} kills; ${report.recoveryPrompts} recovery prompts`,
      met: doublesOf(report) === 0 && killsOf(report) >= 100,
    })),
  },
  {
    id: 'HF-11',
    figure: 'runs open at a kill of a process',
    reference: '3',
    goal: '≥ 3',
    ours: counted((report) => {
      const perRound = report.rounds
        .filter(({ kills, hits }) => kills === 1 && hits.length > 0)
        .map((round) => openAtKillsOf({ ...report, rounds: [round] }))
        .filter((open) => open > 0);
      const open = summaryOf(perRound);
      return {
        value: open === undefined ? 'none' : `median ${open.median}, most ${open.worst}`,
        met: (open?.median ?? 0) >= 3,
      };
    }),
  },
  {
    id: 'HF-12',
    figure: 'changes by sweeps when there is nothing to do',
    reference: '0',
    goal: '0',
    ours: ({ timing }) =>
      timing?.idleSweepCommits === null || timing === null
        ? { kind: 'not-measured', why: 'not looked at in this run' }
        : measured(`${timing.idleSweepCommits} commits`, timing.idleSweepCommits === 0),
  },
  {
    id: 'HF-13',
    figure: 'a stop that comes while the worker is dead is carried out after the kill',
    reference: '31 s',
    goal: 'any',
    ours: timed(['stop.across'], null),
  },
  {
    id: 'HF-14',
    figure: 'restarts that were watched',
    reference: '64, none by a kill',
    goal: '≥ 64, half of them kills',
    ours: counted(({ measures }) => {
      const kills = Object.entries(measures)
        .filter(([name]) => name.startsWith('replacement.started.'))
        .reduce((sum, [, samples]) => sum + samples.length, 0);
      return { value: `${kills}, all by SIGKILL`, met: kills >= 64 };
    }),
  },
  {
    id: 'HF-16',
    figure: 'open work that went on in a new process',
    reference: '28 executions',
    goal: 'all',
    ours: counted((report) => {
      const lost = report.rounds.filter(({ violations }) => violations.length > 0).length;
      return {
        value: `${openAtKillsOf(report)} runs were open at a kill of a process; ${lost} rounds in which one did not come to its end`,
        met: lost === 0,
      };
    }),
  },
  {
    id: 'HF-17',
    figure: 'failures that a restart is to blame for',
    reference: '0',
    goal: '0',
    ours: counted(({ rounds }) => {
      const blamed = totalsOf(rounds.map(({ failures }) => failures)).filter(([code]) =>
        BLAMED_ON_RESTARTS.includes(code),
      );
      const total = blamed.reduce((sum, [, n]) => sum + n, 0);
      const named = blamed.map(([code, n]) => `${code}: ${n}`).join(', ');
      return { value: total === 0 ? '0' : named, met: total === 0 };
    }),
  },
  {
    id: 'HF-18',
    figure: 'dispatches after the first of a run',
    reference: '1 retry',
    goal: 'reported',
    ours: counted(({ rounds }) => ({
      value: String(rounds.reduce((sum, round) => sum + round.furtherDispatches, 0)),
      met: null,
    })),
  },
  {
    id: 'HF-30',
    figure: 'a killed host is up again (here: a node-agent, joined and ready)',
    reference: '1.2 s',
    goal: '≤ 1.2 s',
    ours: timed(['replacement.ready.node-agent'], 1_200),
  },
  {
    id: 'HF-32',
    figure: 'a dead process is noticed and started again',
    reference: '1.4 s',
    goal: '≤ 5 s',
    ours: timed([/^replacement\.started\./], 5_000),
  },
  {
    id: 'HF-33',
    figure: 'a host is asked for at most',
    reference: '30 s',
    goal: '≤ 30 s',
    ours: windowed('askTimeoutMs', 30_000, 'askAttempts'),
  },
  {
    id: 'HF-47',
    figure: 'versions in the proof',
    reference: 'recorded',
    goal: 'recorded',
    ours: ({ environment: { versions } }) =>
      measured(
        Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', ') || 'none were asked for',
        Object.keys(versions).length > 0,
      ),
  },
  {
    id: 'HF-54',
    figure: 'refusals, one at a time (here over HTTP, of which NATS is a part)',
    reference: '404: 2 to 5 ms, 409: 2 to 3 ms',
    goal: 'p99 ≤ 20 ms',
    ours: timedP99(['error.404', 'error.409'], 20),
  },
  {
    id: 'HF-55',
    figure: 'starts of one accepted request over crashes (here: of a run)',
    reference: '1',
    goal: '≤ 1 over ≥ 1,000 random crash points',
    ours: counted((report) => ({
      value: `${doublesOf(report)} runs with more than 1, over ${killsOf(report)} kills`,
      met: doublesOf(report) === 0 && killsOf(report) >= 1_000,
    })),
  },
  {
    id: 'HF-61',
    figure: 'a host restarts and has recovered what ran on it',
    reference: '9.2 s',
    goal: '≤ 9.2 s',
    ours: timed(['adoption'], 9_200),
  },
  {
    id: 'HF-67',
    figure: 'rules taken out on purpose, and caught, in this very run',
    reference: '6, by hand',
    goal: '≥ 1 a core rule',
    ours: ({ control }) =>
      control === null
        ? { kind: 'not-measured', why: 'no negative control in this run' }
        : measured(
            control.violations.length > 0 ? `1, ${control.sabotage}` : 'none',
            control.violations.length > 0,
          ),
  },
  {
    id: 'HF-68',
    figure: 'processes and folders left behind by the proof',
    reference: '0',
    goal: '0',
    ours: counted(({ leftBehind, systems }) => ({
      value: `${leftBehind.length} after ${systems} systems`,
      met: leftBehind.length === 0,
    })),
  },
];
