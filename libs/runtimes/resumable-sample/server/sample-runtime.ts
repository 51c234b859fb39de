import { randomUUID } from 'node:crypto';
import type { Behaviours } from '../behaviours.js';
import { RECOVERY_PROMPT, type ErrorCode, type ThreadView, type TurnView } from '../protocol.js';
import { fateOf } from './fate.js';
import type { Ledger } from './ledger.js';
import { LiveTurn } from './live-turn.js';
import { scriptOf } from './script.js';
import { isAlive, type StoredThread, type StoredTurn, type ThreadStore } from './thread-store.js';

/** The runtime does not do that. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: ErrorCode,
    message: string = code,
  ) {
    super(message);
  }
}

/** What became of a request for a turn. */
export type Begun =
  | {
      readonly kind: 'begun';
      readonly turn: LiveTurn;
      /** Makes the prompt durable, says so, and starts the work: after the acknowledgement, as real runtimes do. */
      observe(durable: () => void): void;
      /** The client that asked is gone before the end. */
      clientGone(): void;
    }
  /** It is a turn that was there before: steered into, or recognised by its client id. */
  | { readonly kind: 'joined'; readonly turn: { readonly turn: string } }
  /** It will be acknowledged, and is forgotten: nothing runs, nothing is kept. */
  | { readonly kind: 'lost'; readonly turn: { readonly turn: string } };

/** Threads, turns, and what this runtime does wrong on purpose. */
export class SampleRuntime {
  readonly #live = new Map<string, LiveTurn>();
  readonly #ends = new Set<Promise<void>>();

  constructor(
    private readonly store: ThreadStore,
    private readonly ledger: Ledger,
    public behaviours: Behaviours,
  ) {}

  createThread(): string {
    const thread = randomUUID();
    this.store.write({ thread, turns: [] });
    return thread;
  }

  /** Takes a thread up again after a crash: what a dead process left running is interrupted from now on. */
  resume(thread: string): 'idle' | 'active' {
    const stored = this.#stored(thread);
    if (this.#live.has(thread)) return 'active';
    if (!this.store.takeWriter(thread)) {
      if (this.behaviours.fence) this.#refuseForWriter(thread);
      return 'idle';
    }
    const turns = stored.turns.map((turn) =>
      turn.status === 'running' ? { ...turn, status: 'interrupted' as const } : turn,
    );
    this.store.write({ thread, turns });
    this.store.releaseWriter(thread);
    return 'idle';
  }

  begin(thread: string, clientId: string, prompt: string): Begun {
    const stored = this.#stored(thread);
    const kind = prompt === RECOVERY_PROMPT ? 'recovery' : 'initial';
    const entry = { kind, thread, clientId, promptText: prompt } as const;
    const same = stored.turns.find((turn) => turn.clientId === clientId);
    if (this.behaviours.deduplicate && same !== undefined) {
      this.ledger.write({ kind: 'readback', thread, turn: same.turn, clientId });
      return { kind: 'joined', turn: same };
    }
    const script = scriptOf(prompt, lastPromptOf(stored));
    const active = this.#live.get(thread);
    if (active !== undefined) {
      if (!this.behaviours.steer) throw new Refusal('turn_active');
      this.ledger.write({ ...entry, turn: active.turn, steered: true });
      active.steer(script);
      return { kind: 'joined', turn: active }; // The trap: the client is told the id of a turn that is not its own.
    }
    if (!this.store.takeWriter(thread) && this.behaviours.fence) this.#refuseForWriter(thread);
    const turn = new LiveTurn(thread, randomUUID(), script);
    this.ledger.write({ ...entry, turn: turn.turn });
    if (this.#isHit('lose', clientId, this.behaviours.loseAckedTurn)) {
      this.store.releaseWriter(thread);
      return { kind: 'lost', turn };
    }
    this.#live.set(thread, turn);
    return {
      kind: 'begun',
      turn,
      observe: (durable) => this.#work(turn, clientId, prompt, durable),
      clientGone: () => {
        if (this.#isHit('abort', clientId, this.behaviours.abortWhenClientDies)) turn.interrupt();
      },
    };
  }

  live(thread: string, turn: string): LiveTurn | undefined {
    const live = this.#live.get(thread);
    return live?.turn === turn ? live : undefined;
  }

  interrupt(thread: string, turn: string): void {
    this.ledger.write({ kind: 'interrupt', thread, turn });
    const live = this.live(thread, turn);
    if (live === undefined) throw new Refusal('no_active_turn');
    live.interrupt();
  }

  view(thread: string): ThreadView {
    this.ledger.write({ kind: 'readback', thread });
    const stored = this.#stored(thread);
    return { thread, turns: stored.turns.map((turn) => this.#viewOf(thread, turn)) };
  }

  turn(thread: string, turn: string): TurnView {
    const stored = this.#stored(thread).turns.find((candidate) => candidate.turn === turn);
    if (stored === undefined) throw new Refusal('no_such_turn');
    return this.#viewOf(thread, stored);
  }

  findByClientId(clientId: string): readonly TurnView[] {
    if (!this.behaviours.readBackByClientId) throw new Refusal('not_supported');
    this.ledger.write({ kind: 'readback', clientId });
    return this.store
      .all()
      .flatMap(({ thread, turns }) => turns.map((turn) => this.#viewOf(thread, turn)))
      .filter((turn) => turn.clientId === clientId);
  }

  interruptAll(): void {
    for (const turn of this.#live.values()) turn.interrupt();
  }

  /** Settles when nothing is at work in this process. */
  async idle(): Promise<void> {
    await Promise.all(this.#ends);
  }

  #work(turn: LiveTurn, clientId: string, prompt: string, durable: () => void): void {
    const { thread } = turn;
    const begun: StoredTurn = {
      turn: turn.turn,
      clientId,
      prompt,
      status: 'running',
      answer: '',
      completedAt: null,
      owner: this.store.self,
    };
    const before = this.#stored(thread);
    this.store.write({ thread, turns: [...before.turns, begun] });
    durable();
    const end = turn.run().then(({ status, answer }) => {
      const finished = { ...begun, status, answer, completedAt: Date.now() };
      const { turns } = this.#stored(thread);
      this.store.write({
        thread,
        turns: turns.map((other) => (other.turn === begun.turn ? finished : other)),
      });
      this.#live.delete(thread);
      this.store.releaseWriter(thread);
      turn.tell({ type: 'end', status, answer });
    });
    this.#ends.add(end);
    void end.then(() => this.#ends.delete(end));
  }

  #viewOf(thread: string, stored: StoredTurn): TurnView {
    const { turn, clientId, answer, completedAt } = stored;
    const live = this.live(thread, turn);
    return {
      thread,
      turn,
      ...(this.behaviours.readBackByClientId && { clientId }),
      status: live === undefined ? this.#statusFromDisk(thread, stored) : 'running',
      answer: live?.answer ?? answer,
      completedAt,
    };
  }

  #statusFromDisk(thread: string, { status, owner }: StoredTurn): TurnView['status'] {
    if (status !== 'running') return status;
    const runsElsewhere = isAlive(owner) && this.store.writer(thread) !== undefined;
    return runsElsewhere ? this.behaviours.liveTurnElsewhere : 'interrupted';
  }

  #refuseForWriter(thread: string): never {
    this.ledger.write({ kind: 'refusal', thread });
    throw new Refusal('active_writer', `thread ${thread} already has an active writer`);
  }

  #stored(thread: string): StoredThread {
    const stored = this.store.read(thread);
    if (stored === undefined) throw new Refusal('no_such_thread');
    return stored;
  }

  #isHit(what: string, clientId: string, part: number): boolean {
    return fateOf(this.behaviours.seed, what, clientId) < part;
  }
}

/** The prompt that a recovery takes up: the newest that is not a recovery itself. */
const lastPromptOf = ({ turns }: StoredThread): string =>
  turns.findLast(({ prompt }) => prompt !== RECOVERY_PROMPT)?.prompt ?? '';
