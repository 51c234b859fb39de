/**
 * Writes to a journal until it is killed: 16 keys at once, each with growing numbers, and says `<key> <number>` only after
 * the journal acknowledged it. Arguments: the folder; what to say first is `open <journalId> <entries> <tornBytes>`.
 */
import { openJournal } from './open-journal.js';
import { wordRules } from './journal.fixture.js';

const LANES = 16;
const journal = await openJournal({
  folder: process.argv[2] ?? '',
  rules: wordRules,
  clock: { now: () => Date.now() },
  keepSettledMs: 60_000,
  keepSettledBytes: 1_000_000,
  compactAtDroppable: 1_000,
});
const { entries, tornBytes } = journal.opening;
process.stdout.write(`open ${journal.journalId} ${entries} ${tornBytes}\n`);

const write = async (key: string): Promise<never> => {
  for (;;) {
    const { answer } = await journal.transition(key, ({ words }) => {
      const number = words.length + 1;
      return {
        records: [{ of: key, word: `${number} ${'x'.repeat(number % 500)}` }],
        answer: number,
      };
    });
    process.stdout.write(`${key} ${answer}\n`);
  }
};
await Promise.all(Array.from({ length: LANES }, (_, lane) => write(`lane-${lane}`)));
