import type { CallerView, NodeView, Page, ReadinessView, UnknownItemView } from '#contracts';
import { EXIT, VerbFailed, type ExitCode } from '../exit-codes.js';
import { ago, duration, paint, plain } from '../text.js';
import { printJson, type Verb } from '../verb.js';

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  /** `note` is worth reading and no fault. */
  readonly verdict: 'ok' | 'note' | 'problem';
  readonly detail: string;
  readonly remedy?: string;
}

/** Rows are current within 100 ms in the normal course; past this a reader sees the past. Milliseconds. */
const LAG_WORTH_SAYING_MS = 2_000;

/** What to do about each part that is not well. */
const REMEDIES: Readonly<Record<string, string>> = {
  nats: 'Is nats-server up? The local stack starts it again by itself; its log is in $HOLDFAST_HOME/logs/nats.log.',
  commands:
    'Start the service `commands` (the local stack does: see $HOLDFAST_HOME/logs/commands.log).',
  queries:
    'Start the service `queries` (the local stack does: see $HOLDFAST_HOME/logs/queries.log).',
  postgres:
    'Is Postgres up? Nothing accepted is lost meanwhile: read models catch up when it is back.',
  projections: 'Is the service `projector` up? `holdfast projections` shows which one is behind.',
  durability:
    'The broker’s configuration differs from what the guarantees need; $HOLDFAST_HOME/logs/commands.log says how.',
};

/** Looks at everything that a user can look at, and says for each fault what to do. */
export const doctor = async (verb: Verb): Promise<ExitCode> => {
  const checks: Check[] = [];
  const readiness = await readinessOf(verb);
  if (readiness === undefined) {
    checks.push({
      name: 'server',
      verdict: 'problem',
      detail: `no server answers at ${verb.server.url}`,
      remedy: 'Start one with `npm start`, or name another one with --url or HOLDFAST_URL.',
    });
    report(verb, checks);
    return EXIT.usage;
  }
  checks.push({ name: 'server', verdict: 'ok', detail: `answers at ${verb.server.url}` });
  checks.push(...partsOf(readiness));
  checks.push(await tokenOf(verb));
  if (checks.at(-1)?.verdict === 'ok')
    for (const look of [lookAtNodes, lookAtUnknowns]) checks.push(...(await look(verb)));
  report(verb, checks);
  return checks.some(({ verdict }) => verdict === 'problem') ? EXIT.failed : EXIT.done;
};

const readinessOf = async ({ api }: Verb): Promise<ReadinessView | undefined> => {
  const answer = await api.probe('/readyz');
  if (answer === undefined) return undefined;
  try {
    return JSON.parse(answer.text) as ReadinessView;
  } catch (cause) {
    throw new VerbFailed(EXIT.usage, 'what answers there is not a Holdfast gateway', { cause });
  }
};

const partsOf = (readiness: ReadinessView): Check[] => {
  // What is in force is told below; here only that something is wrong with it.
  const told = Object.entries(readiness.checks).filter(
    ([name, { ok }]) => name !== 'durability' || !ok,
  );
  const parts = told.map(([name, { ok, detail }]): Check => {
    const remedy = REMEDIES[name];
    if (ok || remedy === undefined) return { name, verdict: ok ? 'ok' : 'problem', detail };
    return { name, verdict: 'problem', detail, remedy };
  });
  const { durability, projectionLagMs } = readiness;
  if (durability !== null)
    parts.push({
      name: 'durability in force',
      verdict: durability.survives === 'power-loss' ? 'ok' : 'note',
      detail: durability.explanation,
      ...(durability.survives === 'power-loss'
        ? {}
        : {
            remedy:
              'Enough for development. Against power loss: nats-server 2.10 or newer with `sync_interval: always`, or a cluster of three.',
          }),
    });
  if (projectionLagMs !== null && projectionLagMs > LAG_WORTH_SAYING_MS)
    parts.push({
      name: 'projection lag',
      verdict: 'problem',
      detail: `read models are ${duration(projectionLagMs)} behind`,
      remedy: REMEDIES['projections'] ?? '',
    });
  return parts;
};

const tokenOf = async ({ api }: Verb): Promise<Check> => {
  try {
    const me = await api.get<CallerView>('/v1/me');
    const detail = `${plain(me.principal)}, ${me.role}, in workspace ${me.workspace}`;
    return { name: 'token', verdict: 'ok', detail };
  } catch (error) {
    return faultOf('token', error);
  }
};

const lookAtNodes = async ({ api, io }: Verb): Promise<Check[]> => {
  try {
    const { items } = await api.get<Page<NodeView>>('/v1/nodes');
    const members = items.filter(({ membership }) => membership === 'member');
    if (members.length === 0)
      return [
        {
          name: 'nodes',
          verdict: 'problem',
          detail: 'no node has joined: what is submitted waits',
          remedy: 'Start a node-agent (`npm start` brings a local one).',
        },
      ];
    const silent = members.filter(({ liveness }) => liveness !== 'alive');
    const faults = silent.map((node): Check => ({
      name: `node ${node.id}`,
      verdict: 'problem',
      detail: `${node.liveness}, last heard ${ago(node.lastHeardAt, io.now())}`,
      remedy:
        'Start its node-agent again: it reports what happened meanwhile, and nothing is sent twice.',
    }));
    const alive: Check = { name: 'nodes', verdict: 'ok', detail: `${members.length} alive` };
    return [...(faults.length === 0 ? [alive] : faults), ...drainedOf(members)];
  } catch (error) {
    return [faultOf('nodes', error)];
  }
};

/** Out of service on purpose, which is easily forgotten. */
const drainedOf = (members: readonly NodeView[]): Check[] =>
  members.flatMap(({ id, drained }) =>
    drained === null
      ? []
      : [
          {
            name: `node ${id}`,
            verdict: 'note',
            detail: `drained by ${drained.actor}: ${drained.reason}`,
            remedy: `It gets no new spawn until \`holdfast nodes return ${id} --reason "…"\`.`,
          },
        ],
  );

const lookAtUnknowns = async ({ api }: Verb): Promise<Check[]> => {
  try {
    const { items, nextCursor } = await api.get<Page<UnknownItemView>>('/v1/unknowns');
    if (items.length === 0) return [{ name: 'unknowns', verdict: 'ok', detail: 'none' }];
    return [
      {
        name: 'unknowns',
        verdict: 'problem',
        detail: `${items.length}${nextCursor === null ? '' : ' or more'} outcomes wait for proof or a person`,
        remedy:
          '`holdfast unknowns` shows their evidence; `holdfast resolve` settles a run, `holdfast spawns resolve` a spawn.',
      },
    ];
  } catch (error) {
    return [faultOf('unknowns', error)];
  }
};

const faultOf = (name: string, error: unknown): Check => {
  if (!(error instanceof VerbFailed)) throw error;
  const [remedy] = error.remedies;
  return {
    name,
    verdict: 'problem',
    detail: error.message,
    ...(remedy === undefined ? {} : { remedy }),
  };
};

const report = ({ io, json, colour }: Verb, checks: readonly Check[]): void => {
  if (json) {
    printJson(io, { checks });
    return;
  }
  const marks = {
    ok: paint('✓', 'green', colour),
    note: paint('!', 'yellow', colour),
    problem: paint('✗', 'red', colour),
  };
  for (const { name, verdict, detail, remedy } of checks) {
    io.out.write(`${marks[verdict]} ${name}: ${plain(detail)}\n`);
    if (remedy !== undefined && verdict !== 'ok') io.out.write(`    ${remedy}\n`);
  }
};
