/**
 * Makes one file (and what it shares with others) of each service: `dist/programs/<service>.js`. A service that is spread
 * over 1,500 files needs two seconds to find and read them before it does anything, at each start and after each kill.
 *
 * `node scripts/lib/bundle.mjs [checkout]`, after the compiler.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../..'));
const dist = join(root, 'dist');
const programs = join(dist, 'programs');

/** What finds files of its own beside itself, or native code. */
const LEFT_IN_PLACE = [
  /^(pino|pino-pretty|typeorm|pg|pg-copy-streams|fastify)$/,
  /^@(fastify|opentelemetry)\//,
  /^node:/,
];
/** What frameworks ask for only where it is used, and we do not use. */
const NEVER_USED = /^(@nestjs\/(websockets|platform-express)|@grpc\/|ioredis$|kafkajs$|mqtt$|amqp)/;

/** @type {string[]} */
const problems = [];

/**
 * What says where it is must say where it was: programs and pages are found from there.
 *
 * @type {import('rolldown').Plugin}
 */
const placesKept = {
  name: 'places-kept',
  transform(code, id) {
    if (!id.startsWith(join(dist, '')) || !code.includes('import.meta.')) return null;
    const from = (/** @type {string} */ path) =>
      `new URL(${JSON.stringify(relative(programs, path))}, import.meta.url)`;
    return [
      `import { fileURLToPath as pathOfUrl } from 'node:url';`,
      code.replaceAll(/import\.meta\.(dirname|url)/g, (_text, what) =>
        what === 'url' ? `${from(id)}.href` : `pathOfUrl(${from(dirname(id))})`,
      ),
    ].join('\n');
  },
};

rmSync(programs, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(
    readdirSync(join(dist, 'services')).map((name) => [
      name,
      join(dist, 'services', name, 'src/main.js'),
    ]),
  ),
  cwd: root,
  platform: 'node',
  external: [...LEFT_IN_PLACE, NEVER_USED],
  plugins: [placesKept],
  onLog: (level, log) => {
    if (level !== 'info' && level !== 'debug') problems.push(log.message);
  },
});
await bundle.write({
  dir: programs,
  format: 'esm',
  // Names of classes are names of commands, queries and providers.
  keepNames: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'shared-[name]-[hash].js',
});
await bundle.close();
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}
