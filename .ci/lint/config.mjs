import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { holdfast } from './rules.mjs';

/** What nobody wrote by hand, and the planted offenders: the spec of the rules lints those with `--no-ignore`. */
const IGNORED = [
  '**/dist/**',
  '**/node_modules/**',
  '**/.holdfast/**',
  '**/.cache/**',
  '**/coverage/**',
  'libs/contracts/src/generated/**',
  '.ci/*/planted/**',
];

/** Code that thinks: no clock, ids, environment or waiting (see the architecture decisions). */
const PURE = [
  '**/libs/kernel/src/**/*.ts',
  '**/libs/*/src/domain/**/*.ts',
  '**/libs/*/src/**/*.{decider,state,events,commands,next,plan,projector}.ts',
];
const SPECS = ['**/*.spec.{ts,tsx,mjs}'];
/** Code that only tests run: fixtures, fakes, end-to-end programs, benchmarks. */
const TEST_CODE = [
  ...SPECS,
  '**/*.fixture.ts',
  '**/libs/testing/**',
  '**/conformance/**',
  '**/test-e2e/**',
  '**/bench/**',
];
/** Tools that read a module's default export as their configuration. */
const WANT_A_DEFAULT_EXPORT = ['**/*.config.{mjs,ts}', '**/data-source.ts'];

/**
 * What every file keeps, whatever its language.
 *
 * @type {import('eslint').Linter.Config}
 */
const everywhere = {
  plugins: { holdfast },
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules: {
    eqeqeq: 'error',
    'object-shorthand': 'error',
    'prefer-const': 'error',
    'no-var': 'error',
    // holdfast/no-silent-catch says the same of catch blocks, with a comment inside or not.
    'no-empty': ['error', { allowEmptyCatch: true }],
    'holdfast/disable-says-why': 'error',
    'holdfast/no-anonymous-delay': 'error',
    'holdfast/no-clock-as-default-argument': 'error',
    'holdfast/no-default-export': 'error',
    'holdfast/no-error-text-matching': 'error',
    'holdfast/no-grab-bag-file': 'error',
    'holdfast/no-silent-catch': 'error',
  },
};

/** @type {import('eslint').Linter.Config} */
const typed = {
  files: ['**/*.{ts,tsx}'],
  languageOptions: { parserOptions: { projectService: true } },
  rules: {
    '@typescript-eslint/consistent-type-imports': 'error',
    '@typescript-eslint/no-confusing-void-expression': [
      'error',
      { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
    ],
    // A Nest module is an empty class under a decorator.
    '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    // Off: it takes what was true before an `await` for true after it (`signal.aborted`), and a wire's word for its type.
    '@typescript-eslint/no-unnecessary-condition': 'off',
    '@typescript-eslint/no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
    ],
    '@typescript-eslint/prefer-nullish-coalescing': 'error',
    '@typescript-eslint/prefer-optional-chain': 'error',
    // An in-memory port is async without waiting: that turns what it throws into a rejection, as its port promises.
    '@typescript-eslint/require-await': 'off',
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    // A new event, status or outcome must not compile or pass until every switch over it has its case.
    '@typescript-eslint/switch-exhaustiveness-check': [
      'error',
      { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false },
    ],
    'holdfast/few-dependencies': 'error',
    'holdfast/injected-by-token': 'error',
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
  },
};

/** @type {import('eslint').Linter.Config} */
const pure = {
  files: PURE,
  ignores: TEST_CODE,
  rules: {
    'holdfast/pure-code-does-not-wait': 'error',
    'holdfast/pure-code-draws-no-random': 'error',
    'holdfast/pure-code-reads-no-clock': 'error',
    'holdfast/pure-code-reads-no-environment': 'error',
  },
};

/** @type {import('eslint').Linter.Config} */
const reading = {
  files: ['**/libs/*/src/query/**/*.ts'],
  ignores: TEST_CODE,
  rules: { 'holdfast/queries-do-not-append': 'error' },
};

/** @type {import('eslint').Linter.Config} */
const shipped = {
  files: ['**/libs/**/*.ts', '**/services/**/*.ts'],
  ignores: TEST_CODE,
  // Logs are structured, and go through the platform's logger, which knows what must not be logged.
  rules: { 'no-console': 'error' },
};

/** @type {import('eslint').Linter.Config} */
const specs = {
  files: SPECS,
  rules: {
    'holdfast/no-focused-or-skipped-test': 'error',
    'holdfast/no-sleep-in-specs': 'error',
    // What a person reads is part of some contracts, and a spec may look at it.
    'holdfast/no-error-text-matching': 'off',
    'max-lines': 'off',
  },
};

/** @type {import('eslint').Linter.Config} */
const testCode = {
  files: TEST_CODE,
  rules: {
    // A missing element throws where it is used, and the test fails.
    '@typescript-eslint/no-non-null-assertion': 'off',
    '@typescript-eslint/unbound-method': 'off',
  },
};

/** @type {import('eslint').Linter.Config} */
const decisionSpecs = {
  files: ['**/*.{decider,state,next,plan,projector}.unit.spec.ts'],
  rules: { 'holdfast/decisions-are-compared-whole': 'error' },
};

/** The lint configuration of the whole repository. */
export const lintConfig = () =>
  defineConfig(
    { ignores: IGNORED },
    js.configs.recommended,
    everywhere,
    {
      files: ['**/*.{ts,tsx}'],
      extends: [tseslint.configs.strictTypeChecked],
    },
    typed,
    {
      files: ['**/*.{js,mjs,cjs}'],
      languageOptions: { globals: NODE_GLOBALS },
    },
    { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
    pure,
    reading,
    shipped,
    specs,
    testCode,
    decisionSpecs,
    { files: WANT_A_DEFAULT_EXPORT, rules: { 'holdfast/no-default-export': 'off' } },
    prettier,
  );

/** What a Node.js module may name without importing it. */
const NODE_GLOBALS = Object.fromEntries(
  [
    'AbortController',
    'AbortSignal',
    'Buffer',
    'URL',
    'clearInterval',
    'clearTimeout',
    'console',
    'fetch',
    'module',
    'performance',
    'process',
    'setInterval',
    'setTimeout',
    'structuredClone',
  ].map((name) => [name, /** @type {const} */ ('readonly')]),
);
