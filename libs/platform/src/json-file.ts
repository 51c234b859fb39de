import { readFile, rm } from 'node:fs/promises';
import { writeWhole } from './whole-file.js';

/** Keeps one small JSON value in a file, for the next start of the process. */
export class JsonFile<Value> {
  constructor(private readonly path: string) {}

  /** Undefined when there is none. @throws SyntaxError when it holds no JSON. */
  async load(): Promise<Value | undefined> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as Value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Undefined removes it. */
  async save(value: Value | undefined): Promise<void> {
    if (value === undefined) await rm(this.path, { force: true });
    else await writeWhole(this.path, JSON.stringify(value));
  }
}
