import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { waitUntil } from '#testing/wait-until';

/** Programs that were let go a moment ago still end. */
const GONE_MAX_MS = 10_000;

/** Processes that were started in a folder, and the folder itself, where they outlived their system. */
export const leftBehindOf = async (folder: string): Promise<readonly string[]> => {
  let left: readonly string[] = [];
  try {
    await waitUntil(
      'nothing to be left',
      () => {
        left = [...processesIn(folder), ...(existsSync(folder) ? [folder] : [])];
        return left.length === 0;
      },
      GONE_MAX_MS,
    );
    return [];
  } catch {
    return left;
  }
};

const processesIn = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const line = commandLineOf(pid);
      return line.includes(folder) ? [`process ${pid}: ${line}`] : [];
    });

const commandLineOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ''; // It has ended meanwhile.
  }
};
