import {
  GENERIC_SPAWN_CONTROLS,
  RUN_CONTROLS,
  SESSION_CONTROLS,
  SPAWN_CONTROLS,
  exploreSessionWithout,
  exploreSpawnWithout,
  exploreWithout,
} from './controls/index.js';
import {
  GENERIC_SPAWN_CONFIGURATIONS,
  LARGE_RUN_CONFIGURATIONS,
  LARGE_SPAWN_CONFIGURATIONS,
  RESTORE_CONFIGURATIONS,
  RUN_CONFIGURATIONS,
  SESSION_CONFIGURATIONS,
  SPAWN_CONFIGURATIONS,
} from './configurations.js';
import type { Exploration } from './engine/index.js';
import { tracesOf, verdictOf } from './report.js';

/**
 * Prints the verdict table: `node dist/libs/explorer/src/main.js [--controls]`. With `--controls` the rules are taken out
 * one at a time, and the shortest way to what breaks is shown. Exit code 1: something is not as it should be.
 */
const nowMs = (): number => performance.now();
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

let failed = false;
const judge = (line: string, found: Exploration, asItShould: boolean, only?: string): void => {
  failed ||= !asItShould;
  print(asItShould ? line : `${line}   <-- NOT AS IT SHOULD BE`);
  const traces = tracesOf(found, only);
  if (traces !== '') print(traces);
};

if (process.argv.includes('--controls')) {
  const controls = [
    ...RUN_CONTROLS.map((control) => ({ ...control, found: () => exploreWithout(control, nowMs) })),
    ...SESSION_CONTROLS.map((control) => ({
      ...control,
      found: () => exploreSessionWithout(control, nowMs),
    })),
    ...[...SPAWN_CONTROLS, ...GENERIC_SPAWN_CONTROLS].map((control) => ({
      ...control,
      found: () => exploreSpawnWithout(control, nowMs),
    })),
  ];
  for (const { rule, breaks, found } of controls) {
    const exploration = found();
    const asItShould = exploration.broken.some(({ name }) => name === breaks);
    judge(verdictOf(`without: ${rule}`, exploration), exploration, asItShould, breaks);
  }
} else
  for (const configuration of [
    ...RUN_CONFIGURATIONS,
    ...RESTORE_CONFIGURATIONS,
    ...SESSION_CONFIGURATIONS,
    ...SPAWN_CONFIGURATIONS,
    ...GENERIC_SPAWN_CONFIGURATIONS,
    ...LARGE_RUN_CONFIGURATIONS,
    ...LARGE_SPAWN_CONFIGURATIONS,
  ]) {
    const found = configuration.explore(nowMs);
    judge(
      verdictOf(configuration.name, found),
      found,
      found.exhausted && found.broken.length === 0,
    );
  }
process.exitCode = failed ? 1 : 0;
