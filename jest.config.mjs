/** How sources become what Node.js runs; types are stripped, and checked elsewhere. */
const compile = ({ tsx }) => ({
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, tsx },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic' },
    },
    keepClassNames: true,
  },
  module: { type: 'es6' },
});

/** What all projects share; `scripts/test.mjs` runs them one after the other. */
const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  // Package imports (`#kernel`) lead to the sources, not to what was built of them.
  testEnvironmentOptions: { customExportConditions: ['holdfast-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // `js` before `mjs`: with its ending mapped away, `./index.js` beside an `index.mjs` must not lead to the latter.
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/.holdfast',
    '<rootDir>/.cache',
    '<rootDir>/.ci/[a-z]+/planted',
  ],
  transform: {
    '^.+\\.ts$': ['@swc/jest', compile({ tsx: false })],
    '^.+\\.tsx$': ['@swc/jest', compile({ tsx: true })],
  },
};

const CODE = ['libs', 'services', 'dashboard', 'scripts', 'tools', 'bench', '.ci'];
const specsOf = (kind) =>
  CODE.map((folder) => `<rootDir>/${folder}/**/*.${kind}.spec.{ts,tsx,mjs}`);

/**
 * @param timeoutMs how long one test or hook may take unless it says otherwise; a bound for what hangs, not a goal.
 */
const project = (displayName, timeoutMs, testMatch) => ({
  ...common,
  displayName,
  testMatch,
  globals: { TEST_TIMEOUT_MS: timeoutMs },
  setupFilesAfterEnv: ['<rootDir>/.ci/jest/timeout.mjs'],
});

/** @type {import('jest').Config} */
export default {
  projects: [
    // No I/O. They yield to the others, beside which they run, and may wait long for the processor.
    project('unit', 240_000, [...specsOf('unit'), '<rootDir>/test-e2e/**/*.unit.spec.ts']),
    // Real servers, or a real tool as a child process.
    project('int', 120_000, specsOf('int')),
    // The built services as processes.
    project('e2e', 240_000, ['<rootDir>/test-e2e/**/*.e2e.spec.ts']),
    // The dashboard in Chromium; beside the others, since it mostly waits and kills nothing.
    project('browser', 240_000, ['<rootDir>/test-e2e/**/*.browser.spec.ts']),
  ],
};
