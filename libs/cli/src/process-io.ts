import { PATIENCE, type Io, type Sink } from './io.js';
import { run } from './program.js';

/**
 * Runs the command line in this process, with its arguments and streams; sets the exit code when all is written.
 *
 * @param version the package's.
 */
export const runInProcess = async (version: string): Promise<void> => {
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  const io: Io = {
    version,
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    out: sinkOf(process.stdout),
    err: sinkOf(process.stderr),
    now: () => Date.now(),
    interrupted: interruption.signal,
    patience: PATIENCE,
  };
  process.exitCode = await run(process.argv.slice(2), io);
};

const sinkOf = (stream: NodeJS.WriteStream): Sink => ({
  isTerminal: stream.isTTY,
  write: (text) => void stream.write(text),
});

/** The reader of a pipe went away, as `| head` does: nobody is left to write for. */
const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
};
