import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from './child-process.js';
import { writePrivateFileSync } from './private-files.js';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.js';

/** Carries the mark of one start in a process's environment. Its own children inherit it, but run another command. */
export const MARK_VARIABLE = 'HOLDFAST_PROCESS_MARK';

/** What is known of a process that was, or was about to be, started. */
interface ProcessRecord {
  readonly name: string;
  readonly mark: string;
  readonly commandLine: readonly string[];
  readonly stopSignal: NodeJS.Signals;
  /** When it was first started, relative to the others: 0, 1, 2, … */
  readonly order: number;
  /** Absent: its start was intended; whether it happened is not known. */
  readonly identity?: ProcessIdentity;
}

/** A process that an earlier supervisor left behind. */
export interface Survivor {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly stopSignal: NodeJS.Signals;
}

/**
 * The files that tell who runs: `run/<name>.pid`, a number, for people and scripts; beside it, for
 * us, what tells that process apart from a later one with the same number. The intent is on record
 * before the start, so that a supervisor killed in between leaves nothing that cannot be found.
 */
export class ProcessRecords {
  constructor(private readonly runFolder: string) {
    this.recordFolder = join(runFolder, 'records');
    mkdirSync(this.recordFolder, { recursive: true, mode: 0o700 });
  }

  private readonly recordFolder: string;

  /** @returns the mark to put in its environment. */
  intend(spec: ProcessSpec, order: number): string {
    const mark = randomUUID();
    this.write(recordOf(spec, order, mark));
    return mark;
  }

  started(spec: ProcessSpec, order: number, mark: string, identity: ProcessIdentity): void {
    this.write({ ...recordOf(spec, order, mark), identity });
    writePrivateFileSync(join(this.runFolder, `${spec.name}.pid`), `${identity.pid}\n`);
  }

  /** It has ended: its number may soon be somebody else's. */
  ended(name: string): void {
    rmSync(join(this.runFolder, `${name}.pid`), { force: true });
    rmSync(join(this.recordFolder, `${name}.json`), { force: true });
  }

  /** Every recorded process that is still alive, the last one started first. */
  survivors(): readonly Survivor[] {
    return this.all()
      .sort((one, other) => other.order - one.order)
      .flatMap((record) => {
        const { name, stopSignal } = record;
        const identity = record.identity ?? findByMark(record);
        return identity !== undefined && isAlive(identity) ? [{ name, identity, stopSignal }] : [];
      });
  }

  /** Forgets all of them: none is alive any more. */
  clear(): void {
    for (const { name } of this.all()) this.ended(name);
  }

  private all(): ProcessRecord[] {
    return readdirSync(this.recordFolder)
      .filter((file) => file.endsWith('.json'))
      .map(
        (file) => JSON.parse(readFileSync(join(this.recordFolder, file), 'utf8')) as ProcessRecord,
      );
  }

  private write(record: ProcessRecord): void {
    writePrivateFileSync(join(this.recordFolder, `${record.name}.json`), JSON.stringify(record));
  }
}

const recordOf = (spec: ProcessSpec, order: number, mark: string): ProcessRecord => ({
  name: spec.name,
  mark,
  commandLine: [spec.command, ...spec.args],
  stopSignal: spec.stopSignal ?? 'SIGTERM',
  order,
});

/** Looks through all processes for the one start that carries this mark. Only Linux can; elsewhere none is found. */
const findByMark = ({ mark, commandLine }: ProcessRecord): ProcessIdentity | undefined => {
  if (process.platform !== 'linux') return undefined;
  const wanted = `${MARK_VARIABLE}=${mark}`;
  const line = commandLine.join('\0');
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const isIt =
      procFile(entry, 'cmdline').replace(/\0$/, '') === line &&
      procFile(entry, 'environ').split('\0').includes(wanted);
    if (isIt) return identityOf(Number(entry));
  }
  return undefined;
};

/** Empty when it has gone, or belongs to somebody else. */
const procFile = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};
