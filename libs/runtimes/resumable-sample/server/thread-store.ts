import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TurnStatus } from '../protocol.js';

/** A turn as the disk has it. */
export interface StoredTurn {
  readonly turn: string;
  readonly clientId: string;
  readonly prompt: string;
  readonly status: TurnStatus;
  readonly answer: string;
  readonly completedAt: number | null;
  /** The process that ran it last. */
  readonly owner: Owner;
}
export interface StoredThread {
  readonly thread: string;
  readonly turns: readonly StoredTurn[];
}
/** A process of this runtime; the start time tells it from a later one with its pid. */
export interface Owner {
  readonly pid: number;
  readonly started: string;
}

/** Threads as files, which several processes of this runtime may share: the last word on what was kept. */
export class ThreadStore {
  readonly #folder: string;
  readonly self: Owner = { pid: process.pid, started: startOf(process.pid) ?? '' };

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'threads');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  read(thread: string): StoredThread | undefined {
    if (!isId(thread)) return undefined;
    const text = readIfThere(join(this.#folder, `${thread}.json`));
    return text === undefined ? undefined : (JSON.parse(text) as StoredThread);
  }

  all(): readonly StoredThread[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => this.read(name.slice(0, -'.json'.length)) ?? []);
  }

  write(thread: StoredThread): void {
    this.#replace(`${thread.thread}.json`, JSON.stringify(thread));
  }

  /** @returns false when another living process runs a turn in this thread. */
  takeWriter(thread: string): boolean {
    const lock = join(this.#folder, `${thread}.writer`);
    const complete = join(this.#folder, `.${randomUUID()}`);
    writeFileSync(complete, JSON.stringify(this.self));
    try {
      for (;;) {
        const holder = this.writer(thread);
        if (holder?.pid === this.self.pid) return true;
        if (holder !== undefined) return false;
        rmSync(lock, { force: true }); // A dead one's.
        try {
          linkSync(complete, lock);
          return true;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        }
      }
    } finally {
      rmSync(complete, { force: true });
    }
  }

  releaseWriter(thread: string): void {
    if (this.writer(thread)?.pid === this.self.pid)
      rmSync(join(this.#folder, `${thread}.writer`), { force: true });
  }

  /** The living process that runs a turn in this thread. */
  writer(thread: string): Owner | undefined {
    const text = readIfThere(join(this.#folder, `${thread}.writer`));
    if (text === undefined || text === '') return undefined;
    const holder = JSON.parse(text) as Owner;
    return isAlive(holder) ? holder : undefined;
  }

  #replace(name: string, content: string): void {
    const next = join(this.#folder, `.${randomUUID()}`);
    const file = openSync(next, 'w', 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, join(this.#folder, name));
  }
}

export const isAlive = ({ pid, started }: Owner): boolean => startOf(pid) === started;

/** Ids come from requests, and become file names. */
const isId = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text);

const startOf = (pid: number): string | undefined => {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
};

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
};
