/** Writes down when it began, as a wall clock in ms with fractions, into the file that its argument names; and ends. */
import { renameSync, writeFileSync } from 'node:fs';

const file = process.argv[2] ?? '';
writeFileSync(`${file}.part`, String(performance.timeOrigin + performance.now()));
renameSync(`${file}.part`, file); // Whoever finds it finds all of it.
