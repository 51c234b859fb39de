import { execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Source: the slowest step installs all packages and builds, 7 minutes on two busy cores. */
const COMMAND_MAX_MS = 30 * 60_000;
/** Between two rounds of health checks, milliseconds. */
const HEALTH_EVERY_MS = 2_000;

/** Works in containers whose host has cgroups of both kinds and no right to raise limits. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=20000:20000","nproc=30000:30000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

/**
 * Runs a program to its end.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} what it printed.
 * @throws {Error} with the end of what it said.
 */
export const command = async (file, args, options = {}) => {
  try {
    const { stdout } = await run(file, [...args], {
      ...options,
      timeout: COMMAND_MAX_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  } catch (cause) {
    const { stderr = '', stdout = '' } = /** @type {{ stderr?: string, stdout?: string }} */ (
      cause
    );
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${file} ${args.slice(0, 3).join(' ')} … failed:\n${said}`, { cause });
  }
};

/** A podman with storage, state and a socket of its own. */
export class Engine {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  service;
  /** @type {NodeJS.Timeout | undefined} */
  health;
  /** What last went wrong beside the check itself. @type {unknown} */
  problem;

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.socket = join(folder, 'podman.sock');
    /** For podman itself. */
    this.env = {
      ...process.env,
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    };
  }

  /** For whoever speaks to it as to Docker. */
  get dockerHost() {
    return `unix://${this.socket}`;
  }

  async open() {
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, 'containers.conf'), CONTAINERS_CONF);
    const storage = `[storage]\ndriver = "overlay"\ngraphroot = "${join(this.folder, 'root')}"\nrunroot = "${join(this.folder, 'run')}"\n`;
    await writeFile(join(this.folder, 'storage.conf'), storage);
    const service = ['system', 'service', '--time=0', this.dockerHost];
    this.service = spawn('podman', service, { env: this.env, stdio: 'ignore' });
    // Podman leaves health checks to systemd's timers, which a container has none of.
    const look = async () => {
      await this.lookAtAll().catch((error) => (this.problem = error)); // A container may just be gone.
      this.health = setTimeout(look, HEALTH_EVERY_MS);
    };
    this.health = setTimeout(look, HEALTH_EVERY_MS);
  }

  async lookAtAll() {
    for (const name of (await this.podman('ps', '--format', '{{.Names}}')).split('\n'))
      if (name !== '')
        await this.podman('healthcheck', 'run', name).catch((error) => (this.problem = error));
  }

  /** @param {string[]} args */
  podman(...args) {
    return command('podman', args, { env: this.env });
  }

  /** @param {string} image */
  async has(image) {
    return this.podman('image', 'exists', image).then(
      () => true,
      () => false,
    );
  }

  async close() {
    clearTimeout(this.health);
    await this.podman('rm', '--all', '--force', '--time', '2').catch(
      (error) => (this.problem = error),
    );
    this.service?.kill('SIGTERM');
  }

  /** Everything that it keeps, images too: layers belong to many users, and only podman removes them all. */
  async forget() {
    await this.podman('system', 'reset', '--force');
  }
}
