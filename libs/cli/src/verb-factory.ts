import type { Command } from 'commander';
import type { Identity } from './server.js';
import type { Perform } from './verb.js';

/** Gives verbs the options that all of them have, and runs them. */
export interface VerbFactory {
  /**
   * @param examples one line each, shown below the help.
   * @param group the command that it belongs below; the program itself when left out.
   */
  readonly verb: (
    usage: string,
    summary: string,
    examples: readonly string[],
    group?: Command,
  ) => Command;
  /** A word that several verbs stand below, such as `token`. */
  readonly group: (name: string, summary: string) => Command;
  /**
   * Runs a verb with the options that its command has, and keeps its exit code.
   *
   * @param identity whose token of the local stack it takes; the operator's when left out.
   */
  readonly perform: (command: Command, action: Perform, identity?: Identity) => Promise<void>;
}
