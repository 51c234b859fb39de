/** The client program of the sample runtime: runs behind the shim, in a folder below the work directory of its attempt. */
import { runDriver } from './run-driver.js';

await runDriver();
