import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { endLeftovers } from './leftovers.mjs';
import { tallyJest, withProblems } from './tally.mjs';

/** Where jest's reports go, one for each project; the failure matrix is made from them. */
const RESULTS = '.cache/test-results';
/** Marks every process that a test run starts, so that what it leaves behind is found. */
const RUN_VARIABLE = 'HOLDFAST_TEST_RUN';
/** How long jest may stay after its report is written, in milliseconds: then something in it is still open. */
const LINGER_MAX_MS = 20_000;
const LOOK_EVERY_MS = 500;

/**
 * @typedef {object} JestProject
 * @property {'unit' | 'int' | 'e2e' | 'browser'} name
 * @property {number} workers e2e tests measure and kill whole stacks, and would disturb each other.
 * @property {number} niceness 0, or up to 19 for what yields the processor to the other projects and runs beside them.
 * @property {number} limitMs the whole project's time limit.
 */

/** @type {readonly JestProject[]} */
export const JEST_PROJECTS = [
  { name: 'unit', workers: 2, niceness: 19, limitMs: 25 * 60_000 },
  { name: 'int', workers: 2, niceness: 0, limitMs: 15 * 60_000 },
  { name: 'e2e', workers: 1, niceness: 0, limitMs: 25 * 60_000 },
  { name: 'browser', workers: 1, niceness: 5, limitMs: 15 * 60_000 },
];

/** The report of a project. @param {string} root the checkout @param {JestProject} project */
export const reportOf = (root, { name }) => join(root, RESULTS, `${name}.json`);

/** Removes the reports of earlier runs: the matrix is made from this one. @param {string} root */
export const clearResults = (root) => rm(join(root, RESULTS), { recursive: true, force: true });

/**
 * Calls back once when the report is there and the program has not ended since.
 *
 * @param {string} report
 * @returns {(end: () => void) => () => void}
 */
const endWhenItLingers = (report) => (end) => {
  let lingerSince = 0;
  const look = setInterval(() => {
    if (!existsSync(report)) return;
    lingerSince ||= Date.now();
    if (Date.now() - lingerSince > LINGER_MAX_MS) {
      clearInterval(look);
      end();
    }
  }, LOOK_EVERY_MS);
  return () => clearInterval(look);
};

/**
 * Runs one jest project, and counts.
 *
 * @param {JestProject} project
 * @param {object} options
 * @param {string} options.root
 * @param {string | undefined} options.filter
 * @param {readonly string[]} options.paths
 * @param {boolean} options.partial
 * @param {boolean} options.show as it goes; otherwise only when something failed.
 * @param {Readonly<Record<string, string | undefined>>} options.env
 * @returns {Promise<import('./tally.mjs').Outcome>}
 */
export const runJest = async (project, { root, filter, paths, partial, show, env }) => {
  const report = reportOf(root, project);
  await mkdir(join(root, RESULTS), { recursive: true });
  await rm(report, { force: true });
  const mark = randomUUID();
  const ended = await runChild(
    process.execPath,
    [
      join(root, 'node_modules/jest/bin/jest.js'),
      ...['--ci', '--selectProjects', project.name, '--maxWorkers', String(project.workers)],
      ...['--json', '--outputFile', report],
      ...(filter === undefined ? [] : ['--testNamePattern', filter]),
      ...(partial ? ['--passWithNoTests'] : []),
      ...['--', ...paths],
    ],
    {
      cwd: root,
      limitMs: project.limitMs,
      niceness: project.niceness,
      show,
      env: {
        ...env,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --no-warnings=ExperimentalWarning`,
        [RUN_VARIABLE]: mark,
      },
      watch: endWhenItLingers(report),
    },
  );
  if (!show && ended.code !== 0) process.stdout.write(ended.output);
  const problems = [];
  for (const { pid, command } of await endLeftovers(RUN_VARIABLE, mark))
    problems.push(`${project.name}: a test left process ${pid} running: ${command.slice(0, 200)}`);
  if (ended.endedBy === 'watch')
    problems.push(`${project.name}: jest had to be ended; a test left something open in it`);
  if (ended.endedBy === 'time limit')
    problems.push(`${project.name}: not done after ${project.limitMs / 60_000} minutes`);
  if (!existsSync(report)) {
    // Given no path that matches, jest writes no report; whether any test ran at all is judged over all projects.
    if (partial && ended.code === 0) return { passed: 0, failed: 0, problems: [] };
    return withProblems({ passed: 0, failed: 0, problems: [] }, [
      `${project.name}: jest executed no test (exit ${ended.code})`,
      ...problems,
    ]);
  }
  const outcome = tallyJest(JSON.parse(await readFile(report, 'utf8')), { partial, root });
  if (outcome.passed + outcome.failed === 0 && !partial)
    problems.push(`${project.name}: jest executed no test`);
  if (ended.code !== 0 && outcome.failed + problems.length === 0)
    problems.push(`${project.name}: jest ended with exit code ${ended.code}`);
  return withProblems(outcome, problems);
};
