import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { build } from './build-steps.mjs';
import { endAllChildren } from './child.mjs';
import { dependenciesAreCurrent, installDependencies } from './dependencies.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** Source: the public interface. */
const DEFAULT_PORT = 7420;
/**
 * A further Ctrl-C means "at once", but not within this time, in milliseconds: npm passes on the signal that the terminal
 * has sent to everybody already.
 */
const SAME_SIGNAL_MS = 1_000;

/** How often to look whether npm still lives, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** What a person can do something about: shown without a stack trace. */
class Refused extends Error {}

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

/** Brings everything up, and stays until it is told to stop. @returns {Promise<number>} the exit code. */
export const start = async () => {
  const began = performance.now();
  const stopping = new AbortController();
  /** @type {import('#local-stack').LocalStack | undefined} */
  let stack;
  let firstSignalAt = 0;
  const stop = () => {
    const now = performance.now();
    if (!stopping.signal.aborted) {
      firstSignalAt = now;
      say('\nStopping. Press Ctrl-C again to end everything at once.');
      stopping.abort(new Refused('Stopped before it was up.'));
      endAllChildren();
    } else if (now - firstSignalAt > SAME_SIGNAL_MS) stack?.hasten();
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, stop);
  stopWithoutNpm(stop);
  // A terminal that was closed must not keep us from ending what we started.
  process.stdout.on('error', () => undefined);

  try {
    const { home, port } = placesFrom(process.env);
    // With a lock in the home, who has the port may be a left-over of a killed start, and the start itself ends that.
    if (!existsSync(join(home, 'run', 'supervisor.lock'))) await refuseTakenPort(port);
    await prepare(stopping.signal);
    stack = await bringUp({ home, port, signal: stopping.signal });
    welcome(stack, (performance.now() - began) / 1_000);
    await new Promise((resolve_) => {
      if (stopping.signal.aborted) resolve_(undefined);
      stopping.signal.addEventListener('abort', resolve_);
    });
    await stack.stop();
    say(
      `Stopped. Everything is kept in ${shown(home)}; npm start goes on from there.\n` +
        'Programs of runs, if any were at work, were ended: the outcome of those runs is unknown (npx holdfast unknowns). Spawned agents go on.',
    );
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) {
      say('Stopped before it was up.');
      return 0;
    }
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
};

/**
 * A killed npm passes nothing on; whoever kills it means all of it.
 *
 * @param {() => void} stop
 */
const stopWithoutNpm = (stop) => {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const npm = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(looking);
    stop();
  }, LOOK_EVERY_MS).unref();
};

/** @param {NodeJS.ProcessEnv} env */
const placesFrom = (env) => {
  if (process.argv.length > 2)
    throw new Refused(
      `npm start takes no "${process.argv.slice(2).join(' ')}". HOLDFAST_PORT, HOLDFAST_HOME, NATS_URL and DATABASE_URL say what it uses: HOLDFAST_PORT=7421 HOLDFAST_HOME=.holdfast-7421 npm start`,
    );
  const port = Number(env['HOLDFAST_PORT'] || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Refused(`HOLDFAST_PORT is ${env['HOLDFAST_PORT']}, and must be 1 to 65535.`);
  return { port, home: resolve(env['HOLDFAST_HOME'] || join(ROOT, '.holdfast')) };
};

/** Before minutes are spent on an installation that leads nowhere. @param {number} port */
const refuseTakenPort = (port) =>
  new Promise((resolve_, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EADDRINUSE' || code === 'EACCES')
        reject(
          new Refused(
            code === 'EACCES'
              ? `Port ${port} needs rights that this user does not have. Choose another: HOLDFAST_PORT=${DEFAULT_PORT} npm start`
              : `Port ${port} is taken: does Holdfast run already? Otherwise choose another port, and a place of its own:\n` +
                  `  HOLDFAST_PORT=${port + 1} HOLDFAST_HOME=.holdfast-${port + 1} npm start`,
          ),
        );
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(resolve_));
  });

/** Installs and builds what is not up to date. @param {AbortSignal} signal */
const prepare = async (signal) => {
  if (!dependenciesAreCurrent(ROOT)) say('Installing packages (once; a minute or two) …');
  const installed = await installDependencies(ROOT);
  signal.throwIfAborted();
  if (!installed.ok) throw new Refused(`${installed.output}\nThe packages could not be installed.`);
  const built = await build(ROOT, (step) => say(`Building ${step} …`));
  signal.throwIfAborted();
  if (!built.ok) throw new Refused(`${built.output}\nThe sources could not be compiled.`);
};

/** @param {{ home: string, port: number, signal: AbortSignal }} options */
const bringUp = async ({ home, port, signal }) => {
  const { startLocalStack } = await import('#local-stack');
  const {
    NATS_URL,
    DATABASE_URL,
    HOLDFAST_WINDOWS,
    HOLDFAST_NATS_SYNC,
    HOLDFAST_REPLICAS,
    HOLDFAST_STORES,
    LOG_LEVEL,
  } = process.env;
  say(`Starting, with all state in ${shown(home)} …`);
  let isUp = false;
  const stack = await startLocalStack({
    home,
    port,
    signal,
    ...(NATS_URL ? { natsUrl: NATS_URL } : {}),
    ...(NATS_URL && HOLDFAST_NATS_SYNC === 'always' ? { natsSynced: true } : {}),
    ...(NATS_URL && HOLDFAST_REPLICAS ? { streamReplicas: Number(HOLDFAST_REPLICAS) } : {}),
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    stores: storesFrom(HOLDFAST_STORES || 'embedded'),
    ...(HOLDFAST_WINDOWS ? { windows: windowsFrom(HOLDFAST_WINDOWS) } : {}),
    ...(LOG_LEVEL ? { logLevel: LOG_LEVEL } : {}),
    onProgress: (step) => say(`  ready: ${step}`),
    onEvent: (event) => {
      if (event.kind === 'left-behind')
        say(`  ending ${event.name} (process ${event.pid}), which an earlier start left behind`);
      else if (event.kind === 'ended')
        say(
          `${event.name} ended (${event.exit.signal ?? `code ${event.exit.code}`}); starting it again. ` +
            `Why: ${shown(join(home, 'logs', `${event.name}.log`))}`,
        );
      else if (event.kind === 'cannot-start')
        say(`${event.name} cannot be started: ${event.cause}`);
      else if (isUp) say(`${event.name} is process ${event.pid}`);
    },
  });
  isUp = true;
  return stack;
};

/** @param {string} text @returns {'embedded' | 'containers'} */
const storesFrom = (text) => {
  if (text === 'embedded' || text === 'containers') return text;
  throw new Refused(`HOLDFAST_STORES is ${text}, and must be embedded or containers.`);
};

/** @param {string} text @returns {Record<string, number>} */
const windowsFrom = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('HOLDFAST_WINDOWS is not JSON.');
  }
};

/** @param {import('#local-stack').LocalStack} stack @param {number} seconds */
const welcome = ({ home, url }, seconds) => {
  const isDefault = home === join(ROOT, '.holdfast');
  const holdfast = `${isDefault ? '' : `HOLDFAST_HOME=${shown(home)} `}npx holdfast`;
  say(`
Holdfast is up after ${seconds.toFixed(1)} s:  ${url}

  Sign in with the operator's token:   cat ${shown(join(home, 'operator.token'))}

  In another terminal, in this folder:
    ${holdfast} submit echo "hello" --wait
    ${holdfast} submit ticker "10" --wait
    ${holdfast} spawn --node local --agent-name helper --harness sample "say hello" --wait
    ${holdfast} runs
    ${holdfast} doctor

  Logs: ${shown(join(home, 'logs'))}   Process numbers: ${shown(join(home, 'run'))}   Stop: Ctrl-C
`);
};

/** As a person would type it, here. @param {string} path */
const shown = (path) => {
  const here = relative(process.cwd(), path);
  return here.startsWith('..') ? path : here;
};
