import { text } from 'node:stream/consumers';

/** The prompt of a sample agent: its arguments, or standard input when there are none. */
export const promptOfThisProgram = async (): Promise<string> => {
  const args = process.argv.slice(2);
  return args.length > 0 ? args.join(' ') : text(process.stdin);
};
