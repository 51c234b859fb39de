/** Which runs are listed, as the address of the page says. */
export interface RunFilter {
  readonly status: string;
  readonly agent: string;
  readonly node: string;
  readonly session: string;
  readonly cursor: string;
}

const NAMES = ['status', 'agent', 'node', 'session', 'cursor'] as const;

/** What the address asks for; what it leaves out is empty. */
export const filterOf = (search: string): RunFilter => {
  const given = new URLSearchParams(search);
  const [status = '', agent = '', node = '', session = '', cursor = ''] = NAMES.map(
    (name) => given.get(name) ?? '',
  );
  return { status, agent, node, session, cursor };
};

const textOf = (filter: Partial<RunFilter>): string => {
  const given = NAMES.flatMap((name) => {
    const value = filter[name] ?? '';
    return value === '' ? [] : [[name, value] as [string, string]];
  });
  return new URLSearchParams(given).toString();
};

/** Address of the page that lists these runs. */
export const hrefOfRuns = (filter: Partial<RunFilter>): string => {
  const text = textOf(filter);
  return text === '' ? '/runs' : `/runs?${text}`;
};

/** Runs on one page of the list: what a person looks through before asking for less. */
export const RUNS_SHOWN = 50;

/** Path of the API for these runs. */
export const pathOfRuns = (filter: Partial<RunFilter>, limit = RUNS_SHOWN): string => {
  const text = textOf(filter);
  return `/runs?limit=${String(limit)}${text === '' ? '' : `&${text}`}`;
};
