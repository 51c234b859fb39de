import { setTimeout as pause } from 'node:timers/promises';
import type { FailureCode, InterruptionReason, Receipt, RuntimeReferences } from '#runtimes';
import type { DriverOutcome } from '../outcome.js';
import { RECOVERY_PROMPT, type TurnLine, type TurnView } from '../protocol.js';
import type { EvidenceFiles } from './evidence-files.js';
import type { DriverOrder } from './order.js';
import {
  isRecoveryKey,
  nextOfResume,
  type History,
  type OurTurn,
  type ResumeStep,
} from './resume.next.js';
import { RuntimeRefused, RuntimeUnreachable, type RuntimeClient } from './runtime-client.js';

/** How long an interrupted turn may take to say that it ended. Unit: milliseconds. Real ones were seen to need 11 to 40. */
const INTERRUPT_MAX_MS = 2_000;

/** Decides what a resumption does; a parameter so that tests can show what a wrong one breaks. */
export type ResumePolicy = typeof nextOfResume;

export interface ConversationParts {
  readonly order: DriverOrder;
  readonly client: RuntimeClient;
  readonly evidence: EvidenceFiles;
  /** Of this run's earlier attempts, oldest first. */
  readonly earlier: readonly Receipt[];
  /** Where the answer goes. */
  readonly print: (text: string) => void;
}

/** One attempt's talk with the runtime: begins the turn, or takes up what became of it. */
export class Conversation {
  #references: RuntimeReferences = {};
  #sent = false;
  #stopping = false;
  #stopConfirmed = false;
  readonly #giveUp = new AbortController();

  constructor(
    private readonly parts: ConversationParts,
    private readonly policy: ResumePolicy = nextOfResume,
  ) {}

  async run(): Promise<DriverOutcome> {
    const { ask } = this.parts.order;
    try {
      return await (ask.kind === 'initial' ? this.#begin(ask.prompt) : this.#takeUp());
    } catch (error) {
      if (this.#stopping)
        return this.#interrupted(this.#stopConfirmed ? 'stopped' : 'stop-unconfirmed');
      if (error instanceof RuntimeUnreachable) return this.#interrupted('connection-lost');
      if (!(error instanceof RuntimeRefused)) throw error;
      // What a recovery was to go on with stays as it is; the refusal settles only a beginning.
      if (ask.kind === 'resume') return this.#interrupted('turn-interrupted');
      return this.#failed('RUNTIME_TURN_FAILED', `the runtime refused: ${error.message}`);
    }
  }

  /** SIGTERM: interrupts the turn, as far as it can be found, and ends the attempt. */
  async stop(): Promise<void> {
    this.#stopping = true;
    try {
      const turn = this.#references.turn ?? (await this.#turnAtWork());
      if (turn !== undefined) {
        await this.parts.client.interrupt(this.#references.thread ?? '', turn);
        await pause(INTERRUPT_MAX_MS, undefined, { ref: false });
      } else this.#stopConfirmed = !this.#sent;
    } catch (error) {
      if (error instanceof RuntimeRefused)
        this.#stopConfirmed = error.code === 'no_active_turn'; // It had ended before.
      else if (!(error instanceof RuntimeUnreachable)) throw error;
    }
    this.#giveUp.abort();
  }

  /** The turn that was asked for and not acknowledged yet, if the runtime shows it. */
  async #turnAtWork(): Promise<string | undefined> {
    const { thread } = this.#references;
    if (thread === undefined || !this.#sent) return undefined;
    const { turns } = await this.parts.client.view(thread);
    return turns.find(({ status }) => status === 'running')?.turn;
  }

  async #begin(prompt: string): Promise<DriverOutcome> {
    const { client, order } = this.parts;
    try {
      this.#references = { thread: await client.createThread() };
    } catch (error) {
      if (!(error instanceof RuntimeUnreachable) || this.#stopping) throw error;
      return this.#failed('RUNTIME_UNREACHABLE', 'the runtime went away before anything was sent');
    }
    return this.#send('initial', order.runId, prompt);
  }

  async #takeUp(): Promise<DriverOutcome> {
    const { order, earlier } = this.parts;
    const recoveriesSent = earlier.flatMap(({ kind, prompt, key }) =>
      kind === 'sent' && prompt === 'recovery' ? [key] : [],
    );
    for (;;) {
      const history = await this.#orGivenUp(this.#history());
      const step = this.policy(order.runId, history, recoveriesSent);
      if (step.kind !== 'wait') return this.#perform(step);
      await this.#orGivenUp(pause(order.pollMs));
    }
  }

  async #perform(step: Exclude<ResumeStep, { kind: 'wait' }>): Promise<DriverOutcome> {
    if (step.kind === 'lost')
      return { kind: 'lost', reason: step.reason, references: this.#references };
    const { thread, turn, key, answer, status } = step.turn;
    this.#references = { thread, turn };
    this.#receipt(
      'observed',
      isRecoveryKey(this.parts.order.runId, key) ? 'recovery' : 'initial',
      key,
    );
    switch (step.kind) {
      case 'copy':
        this.parts.print(answer);
        return this.#ended(status === 'failed' ? 'failed' : 'completed', true);
      case 'attach':
        return this.#listen(this.parts.client.follow(thread, turn), () => undefined, true);
      case 'recover':
        return this.#send('recovery', step.key, RECOVERY_PROMPT);
    }
  }

  async #send(prompt: Receipt['prompt'], key: string, text: string): Promise<DriverOutcome> {
    const thread = this.#references.thread ?? '';
    this.#references = { thread };
    this.#receipt('sent', prompt, key); // On the disk before the first byte leaves.
    this.#sent = true;
    const lines = this.parts.client.begin(thread, key, text);
    return this.#listen(
      lines,
      (line) => {
        this.#references = { thread: line.thread, turn: line.turn };
        this.#receipt(line.type === 'ack' ? 'acked' : 'observed', prompt, key);
      },
      false,
    );
  }

  async #listen(
    lines: AsyncIterable<TurnLine>,
    onReceipt: (line: Extract<TurnLine, { type: 'ack' | 'observed' }>) => void,
    readBack: boolean,
  ): Promise<DriverOutcome> {
    const iterator = lines[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#orGivenUp(iterator.next());
      if (next.done === true) throw new RuntimeUnreachable('the runtime said no end');
      const line = next.value;
      if (line.type === 'delta') this.parts.print(line.text);
      else if (line.type === 'end') return this.#ended(line.status, readBack);
      else onReceipt(line);
    }
  }

  #ended(status: Exclude<TurnView['status'], 'running'>, readBack: boolean): DriverOutcome {
    switch (status) {
      case 'completed':
        return { kind: 'completed', readBack, references: this.#references };
      case 'failed':
        return this.#failed('RUNTIME_TURN_FAILED', 'the runtime says that the turn failed');
      case 'interrupted':
        return this.#interrupted(this.#stopping ? 'stopped' : 'turn-interrupted');
    }
  }

  /** Behind the fence; and only turns of this run. */
  async #history(): Promise<History> {
    const { client, order } = this.parts;
    try {
      const thread = this.#knownThread() ?? (await client.find(order.runId))[0]?.thread;
      if (thread === undefined) return { kind: 'turns', turns: [] };
      await client.resume(thread);
      return this.#ours((await client.view(thread)).turns);
    } catch (error) {
      if (!(error instanceof RuntimeRefused)) throw error;
      if (error.code === 'active_writer') return { kind: 'active-elsewhere' };
      if (error.code === 'no_such_thread') return { kind: 'turns', turns: [] };
      if (error.code === 'not_supported') return { kind: 'cannot-ask' };
      throw error;
    }
  }

  /** By our keys where the runtime shows them, by its own names where an earlier attempt learned them. */
  #ours(turns: readonly TurnView[]): History {
    const { runId } = this.parts.order;
    const keyOf = ({ turn, clientId }: TurnView): string | undefined =>
      clientId ?? this.parts.earlier.find((receipt) => receipt.turn === turn)?.key;
    const ours: readonly OurTurn[] = turns.flatMap((turn) => {
      const key = keyOf(turn);
      return key === runId || (key !== undefined && isRecoveryKey(runId, key))
        ? [{ ...turn, key }]
        : [];
    });
    const unnamed = turns.some((turn) => keyOf(turn) === undefined);
    return ours.length === 0 && unnamed ? { kind: 'cannot-ask' } : { kind: 'turns', turns: ours };
  }

  #knownThread(): string | undefined {
    const { ask } = this.parts.order;
    const given = ask.kind === 'resume' ? ask.references.thread : undefined;
    return given ?? this.parts.earlier.findLast(({ thread }) => thread !== undefined)?.thread;
  }

  #receipt(kind: Receipt['kind'], prompt: Receipt['prompt'], key: string): void {
    this.parts.evidence.receipt({ kind, at: Date.now(), prompt, key, ...this.#references });
  }

  #interrupted(reason: InterruptionReason): DriverOutcome {
    return { kind: 'interrupted', reason, references: this.#references };
  }

  #failed(code: FailureCode, message: string): DriverOutcome {
    return { kind: 'failed', code, message, references: this.#references };
  }

  async #orGivenUp<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this.#giveUp;
    const givenUp = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new RuntimeUnreachable('given up'));
      if (signal.aborted) fail();
      else signal.addEventListener('abort', fail, { once: true });
    });
    return Promise.race([work, givenUp]);
  }
}
