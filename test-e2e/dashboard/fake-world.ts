import type {
  AgentView,
  CallerView,
  ChangeView,
  NodeView,
  OutputChunkView,
  ReadSideSystemView,
  RunDetailView,
  TimelineEntryView,
} from '#contracts';
import {
  FakeUpstream,
  answer,
  refuse,
  type Asked,
} from '../../services/gateway/src/gateway.fixture.js';
import { Conflict, idOf } from './fake-parts.js';
import { FakeSpawns } from './fake-spawns.js';
import { agentNamed, nodeNamed, runOf, systemNow } from './sample-views.js';

/**
 * Stands for all services behind a real gateway: what it answers a test can set and change at any moment, so that a page
 * can be shown what a real system shows seldom or never.
 */
export class FakeWorld {
  readonly runs: RunDetailView[] = [];
  readonly nodes: NodeView[] = [nodeNamed('local')];
  readonly agents: AgentView[] = [agentNamed('echo'), agentNamed('ticker')];
  readonly timelines = new Map<string, TimelineEntryView[]>();
  readonly outputs = new Map<string, OutputChunkView[]>();
  readonly callers = new Map<string, CallerView>([
    ['operator-token', { principal: 'user:ada', role: 'operator', workspace: 'main' }],
    ['agent-token', { principal: 'agent:bot', role: 'agent', workspace: 'main' }],
    ['viewer-token', { principal: 'user:vera', role: 'viewer', workspace: 'main' }],
  ]);
  /** Commands that were accepted, with their keys. */
  readonly commands: Asked[] = [];
  /** Answers of commands are lost: they happen, and nobody hears of it. */
  losesAnswers = false;
  /** What happens now is not shown yet: the read models are far behind. */
  standsStill = false;
  /** What happens between the click and its arrival: another one was faster. */
  beforeNextCommand: (() => void) | undefined;
  lagMs = 0;
  /** What the read side says of the system now. */
  system: () => ReadSideSystemView = systemNow;
  readonly #upstream = new FakeUpstream();
  readonly #changes: ChangeView[] = [];
  readonly spawns = new FakeSpawns(this.nodes, (change) => void this.#changes.push(change));
  /** Runs as they were when the read models began to stand still. */
  readonly #shown = new Map<string, RunDetailView>();
  readonly #stops = new Map<
    string,
    NonNullable<RunDetailView['stop']> & { readonly runId: string }
  >();

  constructor() {
    this.#read('access.identify', ({ caller }) => caller);
    this.#read('runs.list', ({ body }) => this.#page(body, this.#chosen(body)));
    this.#read('unknowns.list', ({ body }) =>
      this.#page(body, [
        ...this.spawns.chosen({ unknown: true }),
        ...this.runs.filter(({ status }) => status === 'unknown'),
      ]),
    );
    this.#read('runs.get', ({ body }) => this.#shownRun(String(body['id'])));
    this.#read('runs.timeline', ({ body }) => this.#timeline(body));
    this.#read('runs.output', ({ body }) => this.#output(body));
    this.#read('sessions.get', ({ body }) => this.#session(String(body['id'])));
    this.#read('nodes.list', ({ body }) => this.#page(body, this.nodes));
    this.#read('agents.list', ({ body }) => this.#page(body, this.agents));
    this.#read('projections.list', () => ({
      items: [{ name: 'views', lagMs: this.lagMs }],
      nextCursor: null,
    }));
    this.#read('stops.get', ({ body: { id } }) => this.#stop(String(id)));
    this.#read('spawns.list', ({ body }) => this.#page(body, this.spawns.chosen(body)));
    this.#read('spawns.get', ({ body }) => this.spawns.find(String(body['id'])));
    this.#read('spawns.timeline', ({ body }) => this.#timeline(body));
    this.#read('changes.list', ({ body }) => ({
      items: this.#changes.slice(Number(body['after'] ?? this.#changes.length)),
      next: this.#changes.length,
    }));
    this.#read('system.get', () => this.system());
    this.#upstream.on('hf.qry.health.get', () =>
      answer({ postgres: true, lagMs: this.lagMs, findings: [] }),
    );
    this.#command('runs.submit', ({ body }) => this.#submit(body));
    this.#command('stops.request', (asked) => this.#requestStop(asked));
    this.#command('runs.resolve', ({ body }) => this.#resolve(body));
    this.#command('spawns.resolve', ({ body }) => this.spawns.resolve(body));
    this.#command('nodes.drain', (asked) => this.spawns.serve(asked, true));
    this.#command('nodes.return', (asked) => this.spawns.serve(asked, false));
  }

  get upstream(): FakeUpstream {
    return this.#upstream;
  }

  /** Whether the services behind the gateway can be asked. */
  isReachable = true;

  /** Adds runs, the newest last, and announces them. */
  add(...runs: readonly RunDetailView[]): void {
    for (const run of runs) {
      this.runs.unshift(run);
      this.#announce(run);
    }
  }

  /** Without runs and commands, as if they had never been; who is told of changes is told of none. */
  empty(): void {
    this.runs.length = 0;
    this.spawns.all.length = 0;
    this.commands.length = 0;
    this.#upstream.asked.length = 0;
    this.nodes.splice(0, Infinity, nodeNamed('local'));
  }

  /** Changes a run, and announces it. */
  change(runId: string, change: Partial<RunDetailView>): void {
    const at = this.runs.findIndex((run) => run.runId === runId);
    const before = this.runs[at]!;
    const changed = { ...before, ...change };
    this.runs[at] = changed;
    if (this.standsStill) this.#shown.set(runId, before);
    else this.#announce(changed);
  }

  /** The keys under which a command was asked for, each time. */
  keysOf(command: string): readonly string[] {
    return this.#upstream
      .to(`hf.cmd.${command}`)
      .map(({ headers }) => headers['idempotency-key'] ?? '');
  }

  write(runId: string, bytes: string | Uint8Array, generation = 1): void {
    const chunks = this.outputs.get(runId) ?? [];
    const before = chunks.filter((chunk) => chunk.generation === generation).at(-1);
    const offset = before ? before.offset + Buffer.from(before.data, 'base64').length : 0;
    const data = Buffer.from(bytes as Uint8Array).toString('base64');
    chunks.push({ sequence: chunks.length + 1, generation, offset, data });
    this.outputs.set(runId, chunks);
  }

  #announce({ runId, status }: RunDetailView): void {
    this.#changes.push({ kind: 'run', id: runId, status });
  }

  #read(name: string, value: (asked: Asked & { caller: CallerView }) => unknown): void {
    this.#upstream.on(`hf.qry.${name}`, (asked) => {
      if (!this.isReachable) return { kind: 'not-delivered' };
      const caller = this.#callerOf(asked);
      if (caller === undefined) return refuse('unauthenticated');
      const found = value({ ...asked, caller });
      return found === undefined ? refuse(`${name.split('s.')[0] ?? ''}_not_found`) : answer(found);
    });
  }

  #command(name: string, effect: (asked: Asked) => unknown): void {
    const done = new Map<string, unknown>();
    this.#upstream.on(`hf.cmd.${name}`, (asked) => {
      if (!this.isReachable) return { kind: 'not-delivered' };
      if (this.#callerOf(asked) === undefined) return refuse('unauthenticated');
      const key = asked.headers['idempotency-key'] ?? '';
      const replayed = done.has(key);
      if (!replayed) {
        this.beforeNextCommand?.();
        this.beforeNextCommand = undefined;
        const value = effect(asked);
        if (value instanceof Conflict) return refuse(value.code);
        this.commands.push(asked);
        done.set(key, value);
      }
      if (this.losesAnswers) return { kind: 'no-answer', cause: new Error('lost') };
      return answer({ value: done.get(key), replayed });
    });
  }

  #callerOf({ headers }: Asked): CallerView | undefined {
    return this.callers.get((headers['authorization'] ?? '').replace('Bearer ', ''));
  }

  #chosen(body: Asked['body']): readonly RunDetailView[] {
    const statuses = body['status'] as readonly string[] | undefined;
    return this.runs.filter(
      (run) =>
        (statuses?.includes(run.status) ?? true) &&
        (body['agent'] ?? run.agent) === run.agent &&
        (body['node'] ?? run.node) === run.node &&
        (body['session'] ?? run.sessionId) === run.sessionId,
    );
  }

  #page<Item>(body: Asked['body'], all: readonly Item[]) {
    const from = Number(body['cursor'] ?? 0);
    const to = from + Number(body['limit'] ?? 50);
    return { items: all.slice(from, to), nextCursor: to < all.length ? String(to) : null };
  }

  #timeline(body: Asked['body']) {
    const after = Number(body['after'] ?? 0);
    const entries = this.timelines.get(String(body['id'])) ?? [];
    return { items: entries.filter(({ sequence }) => sequence > after), nextCursor: null };
  }

  #output(body: Asked['body']) {
    const id = String(body['id']);
    const run = this.runs.find(({ runId }) => runId === id);
    if (run === undefined) return undefined;
    const after = Number(body['after'] ?? 0);
    const items = (this.outputs.get(id) ?? [])
      .filter(({ sequence }) => sequence > after)
      .slice(0, 20);
    const next = items.at(-1)?.sequence ?? after;
    const isSettled = run.settledBy !== null && next === (this.outputs.get(id)?.length ?? 0);
    const truncated = run.output?.truncated ?? false;
    return { items, next, complete: isSettled, missingBytes: 0, truncated };
  }

  #session(sessionId: string) {
    const [run, ...others] = this.runs.filter((each) => each.sessionId === sessionId).reverse();
    if (run === undefined) return undefined;
    return {
      sessionId,
      agent: run.agent,
      activeRunId: run.runId,
      queue: others.map(({ runId }) => runId),
      waitsFor: null,
    };
  }

  /** As the decider does it: what nobody started ends at once, what has ended stays as it is. */
  #requestStop(asked: Asked) {
    const { body, headers } = asked;
    const { id, kind } = body['target'] as { readonly id: string; readonly kind: string };
    if (kind === 'agent') return this.spawns.requestStop(asked);
    const stopId = idOf(headers['idempotency-key'] ?? '');
    const stop = { stopId, requestedAt: new Date().toISOString(), reason: String(body['reason']) };
    this.#stops.set(stopId, { ...stop, runId: id });
    const { status } = this.#run(id);
    if (status === 'queued' || status === 'dispatched')
      this.change(id, { status: 'stopped', settledBy: 'proof', stop, waitsFor: null });
    if (status === 'running' || status === 'unknown')
      this.change(id, {
        status: 'stopping',
        unknown: null,
        stop,
        waitsFor: 'node local to answer',
      });
    return { stopId };
  }

  #resolve(body: Asked['body']) {
    const runId = String(body['runId']);
    if (this.#run(runId).status !== 'unknown') return new Conflict('run_not_unknown');
    const as = body['as'] as RunDetailView['status'];
    this.change(runId, { status: as, unknown: null, settledBy: 'operator', waitsFor: null });
    return { runId, status: as };
  }

  #shownRun(id: string): RunDetailView | undefined {
    const old = this.standsStill ? this.#shown.get(id) : undefined;
    return old ?? this.runs.find(({ runId }) => runId === id);
  }

  #run(runId: string): RunDetailView {
    return this.runs.find((run) => run.runId === runId)!;
  }

  #stop(stopId: string) {
    const stop = this.#stops.get(stopId);
    const run = this.runs.find(
      (each) => each.runId === stop?.runId || each.stop?.stopId === stopId,
    );
    const asked = stop ?? run?.stop;
    if (run === undefined || !asked) return this.spawns.stop(stopId);
    const isStopped = run.status === 'stopped';
    const open = run.settledBy === null ? 'pending' : 'too-late';
    return {
      stopId,
      target: { kind: 'run', id: run.runId },
      reason: asked.reason,
      requestedBy: 'user:ada',
      requestedAt: asked.requestedAt,
      outcome: isStopped ? 'proven' : open,
      proof: isStopped ? 'process-group-gone' : null,
      remains: [],
      runStatus: run.status,
    };
  }

  #submit(body: Asked['body']) {
    const run = runOf({ agent: String(body['agent']), prompt: String(body['prompt']) });
    this.add(run);
    return { runId: run.runId, sessionId: run.sessionId, status: 'queued' };
  }
}
