/**
 * `npm test`: on a fresh clone, with nothing but Node.js and git, installs what the tests need and runs all of them.
 *
 * Uses only what Node.js has built in, because it runs before anything is installed.
 */
import { join } from 'node:path';
import { endAllChildren, runChild } from './lib/child.mjs';
import { provideChromium } from './lib/chromium.mjs';
import { installDependencies } from './lib/dependencies.mjs';
import { JEST_PROJECTS, clearResults, runJest } from './lib/jest-phase.mjs';
import { PASSED, failed, lastLine } from './lib/tally.mjs';
import { HELP, OF_THE_BUILD, parseTestOptions } from './lib/test-options.mjs';

const ROOT = join(import.meta.dirname, '..');
/** How long a phase other than tests may take, in milliseconds. */
const PHASE_MAX_MS = 10 * 60_000;

/** @type {{ name: string, outcome: import('./lib/tally.mjs').Outcome, seconds: number }[]} */
const done = [];
let interrupted = false;
const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

/**
 * Runs one phase, says how it went, and keeps its outcome.
 *
 * @param {string} name
 * @param {() => Promise<import('./lib/tally.mjs').Outcome>} work
 */
const phase = async (name, work) => {
  if (interrupted) return false;
  say(`\n── ${name}`);
  const from = performance.now();
  const outcome = await work();
  const seconds = (performance.now() - from) / 1_000;
  done.push({ name, outcome, seconds });
  say(`${outcome.failed === 0 ? 'ok' : 'FAILED'}  ${name}  ${seconds.toFixed(1)} s`);
  return outcome.failed === 0;
};

/** A phase that is an npm script: its output is shown when it fails. @param {string} script @param {number} niceness */
const npmRun =
  (script, niceness = 0) =>
  async () => {
    const ended = await runChild('npm', ['run', '--silent', script], {
      cwd: ROOT,
      limitMs: PHASE_MAX_MS,
      niceness,
    });
    if (ended.code === 0) return PASSED;
    say(ended.output);
    return failed(
      ended.endedBy === 'itself' ? `npm run ${script}` : `npm run ${script}: took too long`,
    );
  };

/**
 * Phases that only read, and the npm script of each, the shortest first. They run beside the tests, one after the other,
 * on what those leave of the processor: tests of processes mostly wait.
 */
const BESIDE = new Map([
  ['docs', 'docs:check'],
  ['proto', 'proto:check'],
  ['boundaries', 'boundaries'],
  ['typecheck', 'typecheck'],
  ['format', 'format:check'],
  ['lint', 'lint'],
]);
/** Yields to whatever else wants the processor, so that no test is slower for it. */
const NICEST = 19;

/** Phases that compare a page with what the tests of this run showed, and the npm script of each. */
const FROM_RESULTS = new Map([
  ['matrix', 'matrix:check'],
  ['spawn-rules', 'spawn-rules:check'],
]);

/**
 * Of these phases, those that were asked for, one after the other.
 *
 * @param {ReadonlyMap<string, string>} scripts @param {readonly string[]} phases @param {number} [niceness]
 */
const runScripts = async (scripts, phases, niceness) => {
  for (const [name, script] of scripts)
    if (phases.includes(name)) await phase(name, npmRun(script, niceness));
};

/**
 * What yields runs in one row, and the rest in another. Two that are shown at once could not be read.
 *
 * @param {import('./lib/test-options.mjs').TestOptions} options
 * @param {Readonly<Record<string, string>>} env of the tests.
 * @param {boolean} built whether there is something to test end to end.
 */
const runBoth = async ({ phases, filter, paths, partial }, env, built) => {
  const projects = JEST_PROJECTS.filter(({ name }) => phases.includes(name));
  const inFront = projects.filter(({ niceness }) => niceness === 0);
  const jest = (/** @type {import('./lib/jest-phase.mjs').JestProject} */ project) => {
    const { name } = project;
    if (OF_THE_BUILD.includes(name) && !built)
      return phase(name, async () => failed(`${name}: not run, because the build failed`));
    const show = project.niceness === 0 || inFront.length === 0;
    return phase(name, () => runJest(project, { root: ROOT, filter, paths, partial, show, env }));
  };
  const beside = async () => {
    await runScripts(BESIDE, phases, NICEST);
    for (const project of projects) if (project.niceness > 0) await jest(project);
  };
  const front = async () => {
    for (const project of inFront) await jest(project);
  };
  await Promise.all([beside(), front()]);
};

/** @param {import('./lib/test-options.mjs').TestOptions} options */
const runPhases = async (options) => {
  const { phases, partial } = options;
  const installed = await phase('dependencies', async () => {
    const { ok, output } = await installDependencies(ROOT);
    if (!ok) say(output);
    return ok ? PASSED : failed('npm ci');
  });
  if (!installed) return;
  /** @type {Record<string, string>} */
  const env = {};
  if (phases.includes('browser'))
    await phase('system packages', async () => {
      const chromium = await provideChromium(ROOT);
      if ('problem' in chromium) {
        say(chromium.problem);
        return failed('system packages: no Chromium');
      }
      env['HOLDFAST_CHROMIUM'] = chromium.path;
      return PASSED;
    });
  let built = true;
  if (!partial && JEST_PROJECTS.every(({ name }) => phases.includes(name)))
    await clearResults(ROOT);
  if (phases.includes('build')) built = await phase('build', npmRun('build'));
  await runBoth(options, env, built);
  await runScripts(FROM_RESULTS, phases);
  const tests = done.filter(({ name }) => JEST_PROJECTS.some((each) => each.name === name));
  const executed = tests.reduce((sum, { outcome }) => sum + outcome.passed + outcome.failed, 0);
  if (tests.length > 0 && executed === 0)
    await phase('any test at all', async () => failed('no test was executed'));
};

const main = async () => {
  const options = parseTestOptions(process.argv.slice(2));
  if (options.help) return say(HELP);
  await runPhases(options);
  say('\n── summary');
  for (const { name, outcome, seconds } of done)
    say(
      `${outcome.failed === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(7)} s` +
        `  ${outcome.passed} passed, ${outcome.failed} failed`,
    );
  if (interrupted) done.push({ name: 'interrupted', outcome: failed('interrupted'), seconds: 0 });
  const problems = done.flatMap(({ outcome }) => outcome.problems);
  if (problems.length > 0)
    say(`\nWhat failed:\n${problems.map((each) => `  - ${each}`).join('\n')}`);
  say(`\n${lastLine(done.map(({ outcome }) => outcome))}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
};

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => {
    interrupted = true;
    endAllChildren();
  });

try {
  await main();
} catch (error) {
  // A wrong option, or a broken checkout: one sentence is enough.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
