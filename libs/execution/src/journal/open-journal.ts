import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bug } from '#kernel';
import { FileJournal, type JournalSettings, type Opening } from './file-journal.js';
import { FolderLock } from './folder-lock.js';
import { GroupWriter } from './group-writer.js';
import { JournalFolder, type JournalHeader } from './journal-file.js';
import { nodeJournalFs, type JournalFile } from './journal-fs.js';
import { JournalMemory } from './journal-memory.js';
import { StartedKeys } from './started-keys.js';

/**
 * Takes the folder, reads what is there, and drops what has been settled long enough.
 *
 * @throws JournalLocked another agent is alive there.
 * @throws JournalCorrupt more than the torn end of a last write is missing.
 */
export const openJournal = async <Record, Entry>(
  settings: JournalSettings<Record, Entry>,
): Promise<FileJournal<Record, Entry>> => {
  const { folder, fs = nodeJournalFs } = settings;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.syncFolder(dirname(folder));
  const lock = await FolderLock.take(folder);
  try {
    const place = new JournalFolder(folder, fs);
    await place.removeLeftovers();
    const existing = await place.open();
    const { file, header, memory, opening, end } =
      existing === undefined
        ? await createJournal(settings, place)
        : await loadJournal(settings, place, existing).catch(async (error: unknown) => {
            await existing.close();
            throw error;
          });
    const writer = new GroupWriter(file, end, () => memory.rollback());
    return new FileJournal(header.journalId, opening, { lock, file, writer, memory }, settings);
  } catch (error) {
    await lock.release();
    throw error;
  }
};

interface Loaded<Record, Entry> {
  readonly file: JournalFile;
  readonly header: JournalHeader;
  readonly memory: JournalMemory<Record, Entry>;
  readonly opening: Opening;
  /** Where the last whole line ends. */
  readonly end: number;
}

const createJournal = async <Record, Entry>(
  { clock, rules }: JournalSettings<Record, Entry>,
  folder: JournalFolder,
): Promise<Loaded<Record, Entry>> => {
  const header: JournalHeader = {
    journalId: randomUUID(),
    version: 1,
    createdAt: clock.now(),
    lastSequence: 0,
  };
  const started = new StartedKeys();
  const file = await folder.replace(header, started, () => Promise.resolve());
  const memory = new JournalMemory(rules, started);
  const opening = { created: true, entries: 0, tornBytes: 0, dropped: 0 };
  return { file, header, memory, opening, end: await file.size() };
};

const loadJournal = async <Record, Entry>(
  settings: JournalSettings<Record, Entry>,
  folder: JournalFolder,
  existing: JournalFile,
): Promise<Loaded<Record, Entry>> => {
  const started = new StartedKeys();
  let header: JournalHeader | undefined;
  const memory = new JournalMemory<Record, Entry>(settings.rules, started);
  const { end, torn } = await folder.read<Record>(existing, {
    header: (found) => {
      header = found;
      memory.numberFrom(found.lastSequence);
    },
    started: (digest) => started.addText(digest),
    record: (stored) => memory.restore(stored),
  });
  if (header === undefined) throw bug('a journal was read without its header');
  if (torn > 0) await existing.truncate(end);
  // A record that was written and never acknowledged counts from now on, so it must be as durable as the others.
  await existing.datasync();

  const droppable = memory.droppable(settings.clock.now(), settings);
  const drops = droppable.length >= settings.compactAtDroppable;
  const opening = {
    created: false,
    entries: memory.size - (drops ? droppable.length : 0),
    tornBytes: torn,
    dropped: drops ? droppable.length : 0,
  };
  if (!drops) return { file: existing, header, memory, opening, end };
  memory.drop(droppable);
  const dropped = new Set(droppable);
  const file = await folder.replace(
    { ...header, lastSequence: memory.sequence },
    started,
    async (write) => {
      await folder.read<Record>(existing, {
        header: () => undefined,
        started: () => undefined, // All of them are in the set, which is written already.
        record: ({ record }, line) =>
          dropped.has(settings.rules.keyOf(record)) ? undefined : write(line),
      });
    },
  );
  await existing.close();
  return { file, header, memory, opening, end: await file.size() };
};
