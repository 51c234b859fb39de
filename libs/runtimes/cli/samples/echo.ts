/** A sample agent that answers at once, with its prompt. */
import { promptOfThisProgram } from './prompt.js';

process.stdout.write(`${(await promptOfThisProgram()).trimEnd()}\n`);
