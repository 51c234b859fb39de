/** A service of Holdfast, and what it needs to run. */
export interface ServiceEntry {
  readonly name: ServiceName;
  /** Those of one wave start together, when the waves before are ready. */
  readonly wave: 1 | 2 | 3 | 4;
  /** Reads or writes the read models. The others do not learn where the database is. */
  readonly database: boolean;
  /** Yields the processor to others, as nice(1) has it: what it does may come a little later. */
  readonly niceness?: number;
  /**
   * How much memory objects may take that have lived for a while, MB. Given gigabytes, V8 lets their garbage grow to several
   * times what lives. Source: after 100,000 runs about 50 MB live.
   */
  readonly heapMb?: number;
}

export type ServiceName =
  'commands' | 'sagas' | 'projector' | 'queries' | 'reconciler' | 'gateway' | 'node-agent';

/**
 * Every service. The waves only make a start orderly and its errors readable: each service waits
 * for what it needs, in whatever order they come up.
 */
export const SERVICES: readonly ServiceEntry[] = [
  { name: 'commands', wave: 1, database: false, heapMb: 256 },
  { name: 'sagas', wave: 2, database: false, heapMb: 256 },
  { name: 'projector', wave: 2, database: true, niceness: 5 },
  { name: 'queries', wave: 3, database: true },
  { name: 'reconciler', wave: 3, database: true, niceness: 5 },
  { name: 'gateway', wave: 4, database: false },
  { name: 'node-agent', wave: 4, database: false, heapMb: 256 },
];

/** The waves, in order. */
export const WAVES = [1, 2, 3, 4] as const;

/** Where the build puts a service's program, seen from the checkout. */
export const entryOf = (service: ServiceName): string => `dist/programs/${service}.js`;

/** What Node.js is told before the program. */
export const flagsOf = ({ heapMb }: ServiceEntry): readonly string[] =>
  heapMb === undefined ? [] : [`--max-old-space-size=${String(heapMb)}`];

/** The program that brings the schema up to date, once, before the services that use the database start. */
export const MIGRATE_ENTRY = 'dist/services/projector/src/migrate.js';
