/**
 * `npm start`: on a fresh clone, with nothing but Node.js and git, installs, builds, and brings up all of Holdfast.
 *
 * An old Node.js must get a sentence and not a syntax error: nothing else is loaded before it is checked.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Holdfast needs Node.js 20.19 or newer; this is ${process.versions.node}. Install a newer one and try again.\n`,
  );
  process.exitCode = 1;
} else {
  const { start } = await import('./lib/start-stack.mjs');
  process.exitCode = await start();
}
