import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ownProgram } from '#runtimes';
import { stopProgram } from './ladder.js';
import { environmentOf, type ProgramIdentities, type ProgramStart } from './program.js';

export const SETTINGS = { pollMs: 20, announceMaxMs: 10_000 } as const;
export const QUICK_LADDER = { graceMs: 50, killWaitMs: 5_000, pollMs: 10 } as const;

/** A folder of its own for each test, and a sweep that leaves no process and no file behind. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-process-'));
  readonly #spawners: ChildProcess[] = [];
  readonly #started: (ProgramIdentities & { readonly work: string })[] = [];
  #works = 0;

  program(argv: readonly [string, ...string[]], more: Partial<ProgramStart> = {}): ProgramStart {
    this.#works += 1;
    return {
      workdir: join(this.folder, `work-${this.#works}`),
      work: `test-${process.pid}-${this.folder.slice(-6)}/${this.#works}`,
      argv,
      cwd: this.folder,
      env: environmentOf(process.env, [], {}),
      ...more,
    };
  }

  script(text: string, more: Partial<ProgramStart> = {}): ProgramStart {
    return this.program(['/bin/sh', '-c', text], more);
  }

  remember(identities: ProgramIdentities, { work }: ProgramStart): void {
    this.#started.push({ ...identities, work });
  }

  /** A separate process that launches, so that it can be killed. */
  async spawner(program: ProgramStart): Promise<Spawner> {
    const [node, ...args] = ownProgram('./spawner.fixture', import.meta.url);
    const process = spawn(node, [...args, JSON.stringify(program)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#spawners.push(process);
    const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    const hear = async (word: string): Promise<unknown> => {
      const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
      if (done === true || !value.startsWith(`${word} `))
        throw new Error(`expected ${word}, heard ${String(value)}`);
      return JSON.parse(value.slice(word.length + 1));
    };
    const identities = (await hear('ready')) as ProgramIdentities;
    this.remember(identities, program);
    return {
      identities,
      hear,
      giveGo: async () => {
        process.stdin.write('go\n');
        await hear('gone');
      },
      kill: () =>
        new Promise<void>((dead) => {
          process.once('exit', () => dead());
          process.kill('SIGKILL');
        }),
    };
  }

  async sweep(): Promise<void> {
    for (const spawner of this.#spawners) spawner.kill('SIGKILL');
    for (const { shim, work } of this.#started)
      await stopProgram({ shim, work }, { ...QUICK_LADDER, graceMs: 0 });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Spawner {
  readonly identities: ProgramIdentities;
  hear(word: string): Promise<unknown>;
  giveGo(): Promise<void>;
  kill(): Promise<void>;
}
