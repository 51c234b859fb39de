import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LocalStack } from '#local-stack';
import { TcpDoor } from '#testing/tcp-door';

const run = promisify(execFile);

/** How a node is cut off: by taking down its only link, or by a proxy that passes nothing on where namespaces are not permitted. */
export type CutBy = 'network namespace' | 'tcp proxy';

/** A network of two addresses between this machine and a namespace. */
interface Namespace {
  readonly name: string;
  readonly link: string;
  readonly host: string;
}

/**
 * A node-agent that reaches the brokers over a link of its own, which can be cut: the same program, arguments and
 * environment as the stack's own, but for the addresses of the brokers. The stack does not start it again.
 */
export class CutOffNode {
  private constructor(
    readonly by: CutBy,
    /** Why there is no namespace, where there is none. */
    readonly why: string | undefined,
    private readonly namespace: Namespace | undefined,
    private readonly doors: readonly TcpDoor[],
    private readonly child: ChildProcess,
  ) {}

  /** Ends the stack's process of this name, and starts it behind a link. */
  static async takeOver(stack: LocalStack, process_: string): Promise<CutOffNode> {
    const pid = String(stack.pids()[process_] ?? '');
    const [command = '', ...args] = await listOf(`/proc/${pid}/cmdline`);
    const entries = (await listOf(`/proc/${pid}/environ`)).map((entry): [string, string] => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    });
    const env = Object.fromEntries(entries);
    const made = await makeNamespace();
    const namespace = 'why' in made ? undefined : made;
    const doors: TcpDoor[] = [];
    const urls: string[] = [];
    for (const one of (env['NATS_URL'] ?? '').split(',')) {
      const url = new URL(one);
      const door = await TcpDoor.open(namespace?.host ?? '127.0.0.1', Number(url.port));
      doors.push(door);
      url.host = `${namespace?.host ?? '127.0.0.1'}:${String(door.port)}`;
      urls.push(url.href);
    }
    await stack.stopOne(process_);
    const line =
      namespace === undefined
        ? [command, ...args]
        : ['ip', 'netns', 'exec', namespace.name, command, ...args];
    const [program = '', ...rest] = line;
    const log = openSync(join(stack.home, 'logs', `${process_}.log`), 'a');
    const child = spawn(program, rest, {
      env: { ...env, NATS_URL: urls.join(',') },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return new CutOffNode(
      namespace === undefined ? 'tcp proxy' : 'network namespace',
      'why' in made ? made.why : undefined,
      namespace,
      doors,
      child,
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Nothing passes in either direction, and nobody is told. */
  async cut(): Promise<void> {
    if (this.namespace === undefined) for (const door of this.doors) door.shut();
    else await run('ip', ['link', 'set', this.namespace.link, 'down']);
  }

  async mend(): Promise<void> {
    if (this.namespace === undefined) for (const door of this.doors) door.reopen();
    else await run('ip', ['link', 'set', this.namespace.link, 'up']);
  }

  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    for (const door of this.doors) await door.close();
    if (this.namespace !== undefined) await removeNamespace(this.namespace);
  }
}

/** Addresses of 10.128.0.0/9 are picked at random; two namespaces at a time are few. */
const makeNamespace = async (): Promise<Namespace | { readonly why: string }> => {
  const [id, a, b, c] = [randomBytes(3).toString('hex'), ...randomBytes(3)];
  const network = `10.${String(128 + ((a ?? 0) >> 1))}.${String(b)}`;
  const first = (c ?? 0) & 0xfc;
  const [host, guest] = [1, 2].map((one) => `${network}.${String(first + one)}`);
  const namespace = { name: `hf-${id}`, link: `hf-${id}`, host: host ?? '' };
  const inside = ['netns', 'exec', namespace.name, 'ip'];
  try {
    await run('ip', ['netns', 'add', namespace.name]);
    const peer = `hfp-${id}`;
    await run('ip', ['link', 'add', namespace.link, 'type', 'veth', 'peer', 'name', peer]);
    await run('ip', ['link', 'set', peer, 'netns', namespace.name]);
    await run('ip', ['addr', 'add', `${namespace.host}/30`, 'dev', namespace.link]);
    await run('ip', ['link', 'set', namespace.link, 'up']);
    await run('ip', [...inside, 'addr', 'add', `${guest ?? ''}/30`, 'dev', peer]);
    await run('ip', [...inside, 'link', 'set', peer, 'up']);
    await run('ip', [...inside, 'link', 'set', 'lo', 'up']);
    return namespace;
  } catch (error) {
    await removeNamespace(namespace);
    return { why: error instanceof Error ? error.message.trim() : String(error) };
  }
};

/** What was not made can't be removed, and that is no failure. */
const removeNamespace = async ({ name, link }: Namespace): Promise<void> => {
  await Promise.allSettled([run('ip', ['link', 'del', link]), run('ip', ['netns', 'del', name])]);
};

const listOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).split('\0').filter((part) => part !== '');
