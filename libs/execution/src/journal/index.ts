export { JournalCorrupt, JournalLocked, JournalOverloaded, JournalWriteFailed } from './errors.js';
export {
  FileJournal,
  type Decision,
  type JournalSettings,
  type Opening,
  type Transition,
} from './file-journal.js';
export { FolderLock } from './folder-lock.js';
export { nodeJournalFs, type JournalFile, type JournalFs } from './journal-fs.js';
export type { JournalRules } from './journal-memory.js';
export { openJournal } from './open-journal.js';
