/** Which spawns are listed, as the address of the page says. */
export interface SpawnFilter {
  readonly status: string;
  readonly node: string;
  /** `true`: only those of which nobody knows whether an agent lives. */
  readonly unknown: string;
  readonly cursor: string;
}

const NAMES = ['status', 'node', 'unknown', 'cursor'] as const;

/** What the address asks for; what it leaves out is empty. */
export const spawnFilterOf = (search: string): SpawnFilter => {
  const given = new URLSearchParams(search);
  const [status = '', node = '', unknown = '', cursor = ''] = NAMES.map(
    (name) => given.get(name) ?? '',
  );
  return { status, node, unknown, cursor };
};

const textOf = (filter: Partial<SpawnFilter>): string => {
  const given = NAMES.flatMap((name) => {
    const value = filter[name] ?? '';
    return value === '' ? [] : [[name, value] as [string, string]];
  });
  return new URLSearchParams(given).toString();
};

/** Address of the page that lists these spawns. */
export const hrefOfSpawns = (filter: Partial<SpawnFilter>): string => {
  const text = textOf(filter);
  return text === '' ? '/spawns' : `/spawns?${text}`;
};

/** Spawns on one page of the list: what a person looks through before asking for less. */
export const SPAWNS_SHOWN = 50;

/** Path of the API for these spawns. */
export const pathOfSpawns = (filter: Partial<SpawnFilter>): string => {
  const text = textOf(filter);
  return `/spawns?limit=${String(SPAWNS_SHOWN)}${text === '' ? '' : `&${text}`}`;
};
