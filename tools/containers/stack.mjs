import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#local-stack';
import { waitUntil } from '../../libs/testing/src/wait-until.js';
import { unpackDebianPackage } from '../../libs/local-stack/src/apt-download.js';
import { command } from './engine.mjs';

/** Source: 2 minutes on two cores with ten times their load. */
const WAIT_MAX_MS = 180_000;

/** @typedef {import('./engine.mjs').Engine} Engine */

/**
 * `docker compose up` from the files of the repository, with secrets of its own.
 *
 * @param {Engine} engine
 * @param {string} root
 * @param {(step: string) => void} say
 */
export const checkCompose = async (engine, root, say) => {
  const place = join(engine.folder, 'stack');
  await rm(place, { recursive: true, force: true });
  await mkdir(place);
  for (const part of ['docker-compose.yml', 'deploy'])
    await cp(join(root, part), join(place, part), { recursive: true });
  await command(process.execPath, [
    ...process.execArgv,
    join(root, 'deploy/make-secrets.mjs'),
    join(place, 'deploy'),
  ]);
  await unpackDebianPackage('docker-compose', 'trixie', join(engine.folder, 'docker-compose'));
  const program = join(
    engine.folder,
    'docker-compose/usr/libexec/docker/cli-plugins/docker-compose',
  );
  const port = await freePort();
  const env = { ...process.env, DOCKER_HOST: engine.dockerHost, HOLDFAST_PORT: String(port) };
  /** @param {string[]} args */
  const compose = (...args) => command(program, args, { cwd: place, env });
  try {
    await compose('up', '--no-build', '--pull', 'never', '--wait', '--detach');
    say('every service of docker-compose.yml is healthy');
    const token = (await readFile(join(place, 'deploy/secrets/operator.token'), 'utf8')).trim();
    await checkRuns(engine, new Caller(`http://127.0.0.1:${port}`, token), say);
  } finally {
    await compose('down', '--volumes', '--timeout', '12');
  }
};

/** @param {unknown} error as fetch has it when nobody answers. */
const whileItIsDown = (error) => {
  if (!(error instanceof TypeError)) throw error;
  return undefined;
};

/** Somebody with the operator's token. */
class Caller {
  /** @param {string} url @param {string} token */
  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /** @param {string} agent @param {string} prompt @returns {Promise<string>} the run's id. */
  async submit(agent, prompt) {
    const answer = await fetch(`${this.url}/v1/submissions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ agent, prompt }),
    });
    if (answer.status !== 202) throw new Error(`refused: ${answer.status} ${await answer.text()}`);
    return /** @type {{ runId: string }} */ (await answer.json()).runId;
  }

  /** @param {string} run @param {string} status */
  async sees(run, status) {
    await waitUntil(
      `${run} to be ${status}`,
      async () => {
        const headers = { authorization: `Bearer ${this.token}` };
        const answer = await fetch(`${this.url}/v1/runs/${run}`, { headers }).catch(whileItIsDown);
        return answer?.ok === true && (await answer.text()).includes(`"status":"${status}"`);
      },
      WAIT_MAX_MS,
    );
  }
}

/** @param {Engine} engine @param {Caller} caller @param {(step: string) => void} say */
const checkRuns = async (engine, caller, say) => {
  /** From outside, as a crash is: an engine does not start again what it was told to kill. @param {string} service */
  const kill = async (service) => {
    const name = `holdfast-${service}-1`;
    process.kill(
      Number(await engine.podman('inspect', name, '--format', '{{.State.Pid}}')),
      'SIGKILL',
    );
  };
  await caller.sees(await caller.submit('echo', 'Hello'), 'completed');
  say('a run completes');
  const running = await caller.submit('ticker', '25');
  await caller.sees(running, 'running');
  await kill('commands');
  await kill('nats');
  await caller.sees(running, 'completed');
  say('commands and nats were killed under a run, came back, and it completed');
  const lost = await caller.submit('ticker', '60');
  await caller.sees(lost, 'running');
  await kill('node-agent');
  await caller.sees(lost, 'unknown');
  say('the container of a node was killed under a run, whose outcome is unknown');
  await caller.sees(await caller.submit('echo', 'Hello again'), 'completed');
  say('the node came back, and a further run completes');
};
