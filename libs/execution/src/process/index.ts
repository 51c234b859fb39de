export { adopt, hasGone, readEnd, type EndWatch, type WatchSettings } from './end-watch.js';
export { candidatesOf, isExecutableNow } from './executable.js';
export {
  sendTo,
  stopProgram,
  survivors,
  type LadderResult,
  type LadderSettings,
  type LadderTarget,
  type Rung,
} from './ladder.js';
export { launch, type Launched, type LaunchSettings } from './launcher.js';
export {
  OUTPUT_CHUNK_MAX_BYTES,
  OUTPUT_KEPT_MAX_BYTES,
  OutputTail,
  sumOutput,
  type OutputChunk,
  type OutputSum,
} from './output-tail.js';
export {
  bootId,
  findAllWork,
  findByWork,
  groupMembers,
  identify,
  isAlive,
  occupiesPid,
  WORK_VARIABLE,
} from './process-identity.js';
export {
  ARGUMENT_MAX_BYTES,
  endOfStatus,
  environmentOf,
  ProgramNotStartable,
  PROGRAM_FOLDER,
  WORK_FILES,
  type ProgramEnd,
  type ProgramIdentities,
  type ProgramStart,
} from './program.js';
export { SHIM_SCRIPT } from './shim-script.js';
