import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AskRequest, Frame, JoinRequest } from '#contracts';
import {
  FileCompanions,
  FileEntryJournal,
  NodeAgent,
  RuntimePrograms,
  harnessesNotReady,
  type Companions,
  type Programs,
  type Timers,
} from '#execution/agent';
import {
  FrameFeed,
  LeaseKeeper,
  OutputWriter,
  RequestClient,
  askSubject,
  serveAsks,
  type FrameDelivery,
  type NatsLink,
} from '#nats';
import {
  pause,
  systemClock,
  type Logger,
  type Metrics,
  type ReadinessBoard,
  type Windows,
} from '#platform';
import type { LeaseBody } from '#nodes/contract';
import { tracing, type SpanInfo } from '#tracing';
import { NatsNodeCommands } from './nats.node-commands.js';
import { NatsOutputSink } from './nats.output-sink.js';
import type { NodeConfig } from './node.config.js';

/** What carries attempts out, and passes on what they print. */
export interface NodeWork {
  readonly programs: Programs;
  readonly companions: Companions;
}

export interface NodeProcessParts {
  readonly link: NatsLink;
  readonly node: NodeConfig;
  readonly windows: Windows;
  readonly dataFolder: string;
  /** Names this start of the agent; a new one each time. */
  readonly incarnation: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: ReadinessBoard;
  /** Default: real programs, each behind its shim. A benchmark measures the rest with work that is none. */
  readonly work?: NodeWork;
}

/** How long the shim may take to announce its child, how often the process table is looked at, ms. */
const LAUNCH = { announceMaxMs: 10_000, pollMs: 100 };
/** After SIGKILL, how long to look for what can't be killed, ms. */
const KILL_WAIT_MS = 2_000;
/** Frames that are journalled at a time. */
const FRAMES_AT_A_TIME = 8;
/** Between two tries to join, ms. */
const JOIN_AGAIN_MS = 1_000;
/** What is not ended and reported by then stays in the journal, for the next start. Below the bound for SIGTERM, 10 s. */
const SHUT_DOWN_MAX_MS = 8_500;

const timers: Timers = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** One node-agent: journal, programs, and its three connections to the rest: frames in, asks in, reports and lease out. */
export class NodeProcess {
  readonly #commands: NatsNodeCommands;
  readonly #closing = new AbortController();
  #stops: (() => Promise<unknown>)[] = [];
  #standing = 'starting';

  private constructor(
    private readonly parts: NodeProcessParts,
    private readonly journal: FileEntryJournal,
    private readonly agent: NodeAgent,
    commands: NatsNodeCommands,
  ) {
    this.#commands = commands;
    parts.readiness.set('node', () => ({
      ok: this.#standing === 'joined',
      detail: this.#standing,
    }));
  }

  /**
   * Opens the journal and takes up what an earlier incarnation left, before anybody else is spoken to.
   *
   * @throws JournalLocked another agent is alive on this folder.
   */
  static async open(parts: NodeProcessParts): Promise<NodeProcess> {
    const { link, node, windows, dataFolder, incarnation, logger } = parts;
    const journal = await FileEntryJournal.open(join(dataFolder, 'journal'), systemClock);
    logger.info({ journalId: journal.journalId, ...journal.opening }, 'journal opened');
    const commands = new NatsNodeCommands(new RequestClient(link), {
      workspace: node.workspace,
      node: node.id,
    });
    const { programs, companions } = parts.work ?? programsOf(parts);
    const agent = new NodeAgent(
      { journal, commands, programs, companions, clock: systemClock },
      {
        self: { journalId: journal.journalId, incarnation },
        maxRuns: node.maxRuns,
        timers,
        receiptsLingerMs: windows.receiptsLingerMs,
        notReady: () => harnessesNotReady(node.harnesses.values(), process.env),
        hash: (text) => createHash('sha256').update(text).digest('hex'),
        onTrouble: (work, err) => {
          logger.error({ work, err }, 'a step failed, and is tried again');
        },
      },
    );
    agent.recover();
    return new NodeProcess(parts, journal, agent, commands);
  }

  /** Joins, and serves until closed. Settles when it is joined, or closed before that. */
  async start(): Promise<void> {
    const { link, node, windows, logger, metrics } = this.parts;
    if (!(await this.#join())) return;
    const lost = metrics.counter('node_lease_problems_total', 'Renewals that failed.', []);
    const lease = LeaseKeeper.forNode(
      link,
      { workspace: node.workspace, node: node.id },
      windows,
      measured(metrics, () => this.agent.lease()),
      {
        onProblem: (err) => {
          lost.inc();
          logger.warn({ err }, 'the lease was not renewed');
        },
      },
    );
    lease.start();
    this.#stops.push(() => lease.stop());
    const asks = await serveAsks(
      link,
      askSubject(node.workspace, node.id),
      (data, request) => {
        const ask = data as AskRequest;
        const parent = request.header('traceparent');
        const name = `answer ${ask.question}`;
        return tracing.within({ name, kind: 'server', parent }, () => this.agent.answer(ask));
      },
      {
        onUnexpected: (err) => {
          logger.error({ err }, 'an ask was not answered');
        },
      },
    );
    this.#stops.push(() => asks.close());
    const frames = await new FrameFeed(link, windows, {
      onProblem: (err) => {
        logger.warn({ err }, 'frames are not read');
      },
    }).subscribe({
      workspace: node.workspace,
      node: node.id,
      concurrency: FRAMES_AT_A_TIME,
      handle: async (delivery) => {
        await tracing.within(spanOf(delivery), () => this.agent.takeFrame(delivery.body as Frame));
        await delivery.done();
      },
    });
    this.#stops.unshift(() => frames.stop());
    this.#standing = 'joined';
    logger.info({ node: node.id, workspace: node.workspace }, 'joined');
  }

  /**
   * Ends in order: no more frames, single-attempt work down the ladder and reported, then the lease and the journal. Agents
   * that were spawned go on, and are taken up by the next start.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#standing = 'shutting down';
    const [frames, ...others] = this.#stops;
    await frames?.();
    await this.agent.shutDown(AbortSignal.timeout(SHUT_DOWN_MAX_MS));
    await Promise.all(others.map((stop) => stop()));
    await this.journal.close();
  }

  async #join(): Promise<boolean> {
    const { node, logger } = this.parts;
    const request = this.#joinRequest();
    while (!this.#closing.signal.aborted) {
      const reply = await this.#commands.join(request);
      if (reply.kind === 'answer') return true;
      this.#standing =
        reply.kind === 'refused'
          ? `joining was refused: ${reply.code}`
          : 'waiting for commands to answer';
      if (reply.kind === 'refused')
        logger.error({ node: node.id, code: reply.code }, 'joining was refused');
      await pause(JOIN_AGAIN_MS, this.#closing.signal);
    }
    return false;
  }

  #joinRequest(): JoinRequest {
    const { node, incarnation } = this.parts;
    const { name, capabilities, capacity, maxRuns } = node;
    return {
      journalId: this.journal.journalId,
      incarnation,
      name,
      capabilities,
      capacity,
      maxRuns,
      agents: [...node.agents.values()].map((agent) => ({
        name: agent.name,
        runtime: agent.adapter.name,
        ...agent.adapter.capabilities(agent.config),
        promptBy:
          agent.adapter.promptMaxBytes(agent.config) < ARGUMENT_LIMIT ? 'argument' : 'stdin',
      })),
      harnesses: [...node.harnesses.keys()],
    };
  }
}

/** Each attempt is a program of its own, whose output goes into the output stream. */
const programsOf = ({ link, node, dataFolder, logger }: NodeProcessParts): NodeWork => {
  const programs = new RuntimePrograms({
    agents: node.agents,
    harnesses: node.harnesses,
    workRoot: join(dataFolder, 'work'),
    launch: LAUNCH,
    ladder: { graceMs: node.stopGraceMs, killWaitMs: KILL_WAIT_MS, pollMs: 20 },
    environment: process.env,
  });
  const sink = new NatsOutputSink(new OutputWriter(link));
  const companions = new FileCompanions(programs, sink, timers, (err) => {
    logger.error({ err }, 'output was not passed on');
  });
  return { programs, companions };
};

/** The lease says all that there is to measure of a node, at each renewal. */
const measured = (metrics: Metrics, leaseOf: () => LeaseBody): (() => LeaseBody) => {
  const runs = metrics.gauge('node_runs', 'Runs of this node.', ['state']);
  const renewals = metrics.counter('node_lease_renewals_total', 'Renewals that were tried.', []);
  return () => {
    const lease = leaseOf();
    runs.set({ state: 'running' }, lease.running);
    runs.set({ state: 'waiting' }, lease.waiting);
    renewals.inc();
    return lease;
  };
};

/** Goes on in the trace of the dispatch. A frame that comes again is taken again only if it was not journalled. */
const spanOf = ({ body, address, deliveryCount }: FrameDelivery): SpanInfo => ({
  name: 'take frame',
  kind: 'consumer',
  parent: (body as Frame | undefined)?.traceparent,
  facts: {
    'holdfast.workspace': address.workspace,
    'holdfast.node': address.node,
    'holdfast.id': address.work,
    'holdfast.generation': address.generation,
    'holdfast.attempt': deliveryCount,
    'holdfast.redelivered': deliveryCount > 1,
  },
});

/** A prompt that must fit into one argument of a program is bound by the kernel, at 128 KiB. */
const ARGUMENT_LIMIT = 128 * 1024;
