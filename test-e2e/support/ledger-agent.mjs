#!/usr/bin/env node
// A single-attempt agent for tests: before it does anything, it writes into a ledger that it was given a prompt.
// The ledger lies outside of every process that is killed, and is the only witness of what was really sent.
//
//   ledger-agent.mjs LEDGER PROMPT
//
// Words in the prompt: `until:FILE` (works until it is there) `work:MS` `say:WORD` `exit:CODE` `silent` `stubborn` (does not end at SIGTERM) `hang` `orphan:MS` (leaves a child in a session of its own)
import { spawn } from 'node:child_process';
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** How often a gate is looked at, and how often a program that hangs wakes up, ms. */
const LOOK_EVERY_MS = 20;
const HANG_TICK_MS = 60_000;

const [ledger, prompt = ''] = process.argv.slice(2);
const note = (kind) => {
  const file = openSync(ledger, 'a');
  writeSync(
    file,
    `${JSON.stringify({ kind, work: process.env['HOLDFAST_WORK'], pid: process.pid, at: Date.now() })}\n`,
  );
  fsyncSync(file);
  closeSync(file);
};
const word = (name) => new RegExp(`(?:^|\\s)${name}:(\\S+)`).exec(prompt)?.[1];

if (/(^|\s)stubborn(\s|$)/.test(prompt)) process.on('SIGTERM', () => undefined);
note('initial');
if (/(^|\s)hang(\s|$)/.test(prompt)) setInterval(() => undefined, HANG_TICK_MS);
else {
  if (word('orphan')) {
    const command = `setTimeout(() => process.exit(0), ${Number(word('orphan'))})`;
    spawn(process.execPath, ['-e', command], { detached: true, stdio: 'ignore' }).unref();
  }
  const gate = word('until');
  while (gate !== undefined && !existsSync(gate))
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  setTimeout(
    () => {
      if (!/(^|\s)silent(\s|$)/.test(prompt)) process.stdout.write(`${word('say') ?? 'done'}\n`);
      note('end');
      process.exitCode = Number(word('exit') ?? 0);
    },
    Number(word('work') ?? 0),
  );
}
