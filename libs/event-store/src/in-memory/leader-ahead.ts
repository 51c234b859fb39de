import { InMemoryEventStore } from './in-memory-event-store.js';

/** A stream whose other replicas have nothing yet: only its leader shows what was written. For tests of who must ask it. */
export class LeaderAhead extends InMemoryEventStore {
  override read: InMemoryEventStore['read'] = async (ref, options) =>
    options.consistency === 'leader' ? super.read(ref, options) : [];
}
