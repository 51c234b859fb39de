import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
/** Inside the repository, so that npm packages are found where they are. */
const SCRATCH = join(ROOT, '.cache');

/** @type {{ forbidden: { name: string }[] }} */
const { forbidden } = createRequire(import.meta.url)(CONFIG);

/** Every crossing that the planted house contains: rule, from, to. */
const EXPECTED = [
  [
    'base-does-not-know-slices',
    'libs/event-store/src/offender-knows-a-slice.ts',
    'libs/runs/src/contract/index.ts',
  ],
  ['dashboard-knows-only-contracts', 'dashboard/src/offender.ts', 'libs/kernel/src/index.ts'],
  ['domain-is-pure', 'libs/runs/src/domain/offender-nest.ts', '@nestjs/common'],
  ['domain-is-pure', 'libs/runs/src/domain/offender-node.ts', 'crypto'],
  ['domain-is-pure', 'libs/runs/src/domain/offender-platform.ts', 'libs/event-store/src/index.ts'],
  ['everything-resolves', 'libs/runs/src/command/offender-unresolved.ts', '#nowhere'],
  ['kernel-knows-nothing', 'libs/kernel/src/offender.ts', 'libs/contracts/src/index.ts'],
  [
    'libs-do-not-know-services',
    'libs/runs/src/command/offender-service.ts',
    'services/commands/src/main.ts',
  ],
  [
    'libs-meet-at-their-face',
    'libs/runs/src/command/offender-inside.ts',
    'libs/event-store/src/index.ts',
  ],
  [
    'nats-adapter-only-in-composition-roots',
    'libs/local-stack/src/offender-adapter.ts',
    'libs/nats/src/index.ts',
  ],
  ['nats-only-in-libs-nats', 'libs/runs/src/command/offender-nats.ts', '@nats-io/jetstream'],
  [
    'nats-tables-only-for-the-local-stack',
    'libs/runtimes/cli/offender-permissions.ts',
    'libs/nats/src/permissions.ts',
  ],
  [
    'no-cycles',
    'libs/runs/src/command/offender-cycle-back.ts',
    'libs/runs/src/command/offender-cycle.ts',
  ],
  [
    'opentelemetry-only-in-one-file',
    'libs/runs/src/command/offender-telemetry.ts',
    '@opentelemetry/api',
  ],
  ['pg-only-in-libs-postgres', 'libs/runs/src/command/offender-driver.ts', 'pg'],
  [
    'queries-do-not-write',
    'libs/runs/src/query/offender-commands.ts',
    'libs/runs/src/command/index.ts',
  ],
  [
    'services-do-not-know-each-other',
    'services/sagas/src/offender.ts',
    'services/commands/src/main.ts',
  ],
  [
    'slices-meet-at-contracts',
    'libs/sessions/src/saga/offender-other-slice.ts',
    'libs/runs/src/domain/index.ts',
  ],
  [
    'test-code-stays-in-tests',
    'libs/runs/src/command/offender-fake.ts',
    'libs/testing/src/index.ts',
  ],
  [
    'test-code-stays-in-tests',
    'libs/runs/src/command/offender-in-memory.ts',
    'libs/event-store/src/in-memory/index.ts',
  ],
  [
    'thinking-is-pure',
    'libs/runs/src/saga/offender-store.next.ts',
    'libs/event-store/src/index.ts',
  ],
  ['thinking-needs-no-node', 'libs/runs/src/saga/offender-node.next.ts', 'fs'],
  ['typeorm-only-on-the-read-side', 'libs/runs/src/command/offender-typeorm.ts', '@nestjs/typeorm'],
  [
    'write-side-ignores-read-models',
    'libs/runs/src/command/offender-database.ts',
    'libs/postgres/src/index.ts',
  ],
  [
    'write-side-ignores-read-models',
    'libs/runs/src/saga/offender-reads-rows.ts',
    'libs/runs/src/projection/index.ts',
  ],
];

/**
 * @typedef {{ rule: { name: string }, from: string, to: string }} Violation
 * @typedef {{ module: string, resolved: string, couldNotResolve: boolean }} Dependency
 * @typedef {{ summary: { violations: Violation[] }, modules: { source: string, dependencies: Dependency[] }[] }} Report
 */

/** @param {string} house @returns {Promise<Report>} */
const cruise = async (house) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...['--config', CONFIG, '--output-type', 'json', '.'],
    ],
    { cwd: house, maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
};

/** An npm package by its name; any other file by its path. @param {string} path */
const named = (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;

describe('the boundaries', () => {
  /** @type {string} */
  let house;
  /** @type {Report} */
  let report;
  beforeAll(async () => {
    await mkdir(SCRATCH, { recursive: true });
    house = await mkdtemp(join(SCRATCH, 'boundaries-'));
    await cp(join(import.meta.dirname, 'planted'), house, { recursive: true });
    for (const file of ['package.json', 'tsconfig.json'])
      await cp(join(ROOT, file), join(house, file));
    report = await cruise(house);
  });
  afterAll(() => rm(house, { recursive: true, force: true }));

  it('refuse each planted offender, and no clean twin', () => {
    const crossed = report.summary.violations.map(({ rule, from, to }) => [
      rule.name,
      from,
      named(to),
    ]);
    expect(crossed.sort()).toEqual([...EXPECTED].sort());
  });

  it.each(forbidden.map(({ name }) => name))('%s can fail', (name) => {
    expect(EXPECTED.filter(([rule]) => rule === name)).not.toEqual([]);
  });

  it('see package imports as the sources that they lead to', () => {
    const main = report.modules.find(({ source }) => source === 'services/commands/src/main.ts');
    expect(main?.dependencies.map(({ module, resolved }) => [module, resolved])).toEqual([
      ['#nats', 'libs/nats/src/index.ts'],
      ['#runs/command', 'libs/runs/src/command/index.ts'],
    ]);
  });
});
