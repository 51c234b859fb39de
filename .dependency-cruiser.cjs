/**
 * Which folder may know which. Each rule's comment is the sentence that it keeps true.
 *
 * `.ci/boundaries/planted/` holds an offender for every rule, and a spec that cruises it with this very file.
 */

/** One slice = one library that holds one part of the business: `libs/<slice>/src/<folder>/`. */
const SLICE = '(runs|sessions|agents|nodes|spawns|stops|access|execution)';
/** Libraries below the slices. */
const BASE = '(kernel|event-store|nats|postgres|hosting|platform|tracing)';
/** Specs and what only they run. */
const SPEC = '\\.(spec|fixture)\\.m?tsx?$';
const TESTS = [
  SPEC,
  '^libs/testing/',
  '^test-e2e/',
  '^bench/',
  '^tools/containers/',
  '/conformance/',
];
/** Of the NATS adapter, what needs no connection: who may say what, and which streams there are. */
const NATS_TABLES = '^libs/nats/src/(permissions|topology|subjects)[^/]*\\.ts$';
/** Imports that are gone when the program runs. */
const TYPE_ONLY = ['type-only'];

module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'decide and evolve know their own domain, the kernel and contracts: no Nest, no NATS, no Node.js built-in, no npm package.',
      from: { path: `^libs/${SLICE}/src/(domain|contract)/`, pathNot: SPEC },
      to: {
        pathNot: [
          '^libs/$1/src/(domain|contract)/',
          `^libs/${SLICE}/src/contract/`,
          '^libs/kernel/',
          '^libs/contracts/',
        ],
      },
    },
    {
      name: 'kernel-knows-nothing',
      severity: 'error',
      comment: 'Everything may rest on the kernel, because the kernel rests on nothing.',
      from: { path: '^libs/kernel/', pathNot: SPEC },
      to: { pathNot: '^libs/kernel/' },
    },
    {
      name: 'thinking-is-pure',
      severity: 'error',
      comment:
        'next, plan and projector are pure like the domain. Of the world outside they may know types, which are gone at run time.',
      from: { path: '\\.(next|plan|projector|decider|state)\\.ts$' },
      to: {
        path: [
          'node_modules/',
          `^libs/(event-store|nats|postgres|hosting|platform|tracing|local-stack)/`,
        ],
        dependencyTypesNot: TYPE_ONLY,
      },
    },
    {
      name: 'thinking-needs-no-node',
      severity: 'error',
      comment: 'Pure code reads no file, socket, process or clock of Node.js.',
      from: { path: '\\.(next|plan|projector|decider|state)\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nats-only-in-libs-nats',
      severity: 'error',
      comment:
        'Everything else speaks to ports: EventStore, EventFeed, leases, requests. The benchmarks compare with the client alone, and a deployed cluster is asked by it.',
      from: { pathNot: ['^libs/nats/', '^bench/', '/deployed-cluster\\.int\\.spec\\.ts$'] },
      to: { path: 'node_modules/@nats-io/' },
    },
    {
      name: 'nats-adapter-only-in-composition-roots',
      severity: 'error',
      comment:
        "A service's module picks the adapter. The local stack may read the tables that need no connection: permissions and topology.",
      from: { pathNot: ['^services/', '^libs/nats/', ...TESTS] },
      to: {
        path: '^libs/nats/',
        pathNot: NATS_TABLES,
      },
    },
    {
      name: 'nats-tables-only-for-the-local-stack',
      severity: 'error',
      comment:
        'Subjects and permissions are the adapter’s business; the local stack writes them into the configuration of nats-server.',
      from: { pathNot: ['^services/', '^libs/nats/', '^libs/local-stack/', ...TESTS] },
      to: { path: NATS_TABLES },
    },
    {
      name: 'pg-only-in-libs-postgres',
      severity: 'error',
      comment: 'One place owns connections, their error listeners and their limits.',
      from: { pathNot: ['^libs/postgres/', SPEC, '^libs/testing/', '^test-e2e/', '^bench/'] },
      to: { path: 'node_modules/(@types/)?pg(-copy-streams)?/' },
    },
    {
      name: 'opentelemetry-only-in-one-file',
      severity: 'error',
      comment:
        'It is loaded by one lazy import, and only where somebody asks for spans. Everything else speaks to libs/tracing.',
      from: { pathNot: ['^libs/tracing/src/otel\\.tracer\\.ts$'] },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'typeorm-only-on-the-read-side',
      severity: 'error',
      comment: 'The write side has no tables.',
      from: {
        pathNot: [
          '^libs/postgres/',
          `^libs/${SLICE}/src/(projection|query|reconcile)/`,
          '^migrations/',
          ...TESTS,
        ],
      },
      to: { path: 'node_modules/(@nestjs/)?typeorm/' },
    },
    {
      name: 'write-side-ignores-read-models',
      severity: 'error',
      comment: 'A command is decided from its stream, never from a projection that may lag.',
      from: { path: `^libs/${SLICE}/src/(domain|contract|command|saga)/`, pathNot: SPEC },
      to: { path: ['/src/(projection|query)/', '^libs/postgres/'] },
    },
    {
      name: 'queries-do-not-write',
      severity: 'error',
      comment:
        'A query cannot reach what appends. It may fold a stream; a lint rule refuses to call `append` there, and the broker refuses its user to publish.',
      from: { path: `^libs/${SLICE}/src/(query|projection)/`, pathNot: SPEC },
      to: { path: '/src/(command|saga|reconcile)/' },
    },
    {
      name: 'slices-meet-at-contracts',
      severity: 'error',
      comment:
        'A library sees a slice only through its published contract/ folder. The explorer, specs and fixtures drive several domains together.',
      from: { path: '^libs/([^/]+)/', pathNot: ['^libs/explorer/', '^libs/testing/', SPEC] },
      to: { path: `^libs/${SLICE}/`, pathNot: ['^libs/$1/', `^libs/${SLICE}/src/contract/`] },
    },
    {
      name: 'base-does-not-know-slices',
      severity: 'error',
      comment: 'What slices rest on does not rest on a slice.',
      from: { path: `^libs/${BASE}/`, pathNot: SPEC },
      to: { path: `^libs/${SLICE}/` },
    },
    {
      name: 'libs-meet-at-their-face',
      severity: 'error',
      comment:
        'Across libraries by package import (`#kernel`), so that what is not exported can change.',
      from: { path: '^libs/([^/]+)/' },
      to: {
        path: '^libs/[^/]+/',
        pathNot: ['^libs/$1/', NATS_TABLES],
        dependencyTypesNot: ['aliased'],
      },
    },
    {
      name: 'libs-do-not-know-services',
      severity: 'error',
      comment: 'Dependencies point from services to libs.',
      from: { path: '^(libs|migrations|bin)/' },
      to: { path: '^(services|test-e2e|bench|dashboard)/' },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      comment: 'Services meet on the wire, each in a process of its own.',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'dashboard-knows-only-contracts',
      severity: 'error',
      comment: 'What runs in a browser sees the types of the wire, and no code of a server.',
      from: { path: '^dashboard/', pathNot: SPEC },
      to: { path: '^(libs|services|migrations)/', pathNot: '^libs/contracts/' },
    },
    {
      name: 'test-code-stays-in-tests',
      severity: 'error',
      comment:
        'Fakes, fault points and the in-memory store never ship. The explorer only ever runs in tests.',
      from: { pathNot: [...TESTS, '^libs/explorer/', '^libs/event-store/src/in-memory/'] },
      to: {
        path: [
          '^libs/(testing|explorer)/',
          '^libs/event-store/src/in-memory/',
          '/conformance/',
          SPEC,
        ],
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle hides which file owns a decision.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      comment: 'An import that this tool cannot follow is a boundary that it does not guard.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // Types count as well: a boundary crossed for a type is crossed.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|\\.holdfast|\\.cache|\\.ci/[a-z]+/planted)/' },
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      // The sources, as the type checker and jest see them; not what was built of them.
      conditionNames: ['holdfast-source', 'types', 'import', 'require', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.d.ts', '.json'],
    },
  },
};
