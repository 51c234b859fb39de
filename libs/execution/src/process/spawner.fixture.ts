/**
 * An agent reduced to its launcher, as a process that a test can kill: launches what its argument describes, says
 * `ready <identities>`, gives `go` when told `go`, and reports the end.
 */
import { createInterface } from 'node:readline';
import { launch } from './launcher.js';
import type { ProgramStart } from './program.js';

const program = JSON.parse(process.argv[2] ?? '') as ProgramStart;
const launched = await launch(program, { pollMs: 20, announceMaxMs: 10_000 });
const say = (word: string, value: unknown): void => {
  process.stdout.write(`${word} ${JSON.stringify(value)}\n`);
};
say('ready', { shim: launched.shim, child: launched.child });
void launched.ended.then((end) => say('ended', end));
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'go') {
    launched.giveGo();
    say('gone', null);
  }
});
