import { setImmediate } from 'node:timers';

/**
 * Work that is none: it starts no program, and ends as soon as it may. What is left to measure is Holdfast itself, its
 * journal with its fsyncs included. It is no runtime, and only the benchmarks have it.
 */

/** What a program that did nothing would leave. @type {import('#execution/agent').EndOfWork} */
const NOTHING_DONE = {
  end: { how: 'completed', exitCode: 0 },
  output: {
    bytes: 0,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    truncated: false,
  },
  receipts: {},
};
const NOBODY = { pid: 1, startTicks: 0, bootId: 'no process' };

/** A gate that all work passes: closed, programs run on and on. */
class Gate {
  /** @type {(() => void)[]} */
  #waiting = [];
  #isOpen = true;

  pass(/** @type {() => void} */ act) {
    if (this.#isOpen) setImmediate(act);
    else this.#waiting.push(act);
  }

  toggle() {
    this.#isOpen = !this.#isOpen;
    if (this.#isOpen) for (const act of this.#waiting.splice(0)) act();
  }
}

/**
 * @param {(runId: string) => void} onGo told of every piece of work that begins: the ledger outside of the system.
 * @returns {{ work: { programs: import('#execution/agent').Programs, companions: import('#execution/agent').Companions }, gate: Gate }}
 */
export const noOpWork = (onGo) => {
  const gate = new Gate();
  const waiting = (/** @type {string} */ runId) => {
    /** @type {(seen: 'exited') => void} */
    let exit = () => undefined;
    /** @type {Promise<'exited'>} */
    const ended = new Promise((resolve) => (exit = resolve));
    const close = () => undefined;
    return {
      shim: NOBODY,
      child: NOBODY,
      workDirectory: '/nowhere',
      cwd: '/nowhere',
      ended,
      close,
      abandon: close,
      giveGo: () => {
        onGo(runId);
        gate.pass(() => exit('exited'));
      },
    };
  };
  return {
    gate,
    work: {
      programs: {
        traits: () => ({ outlivesClient: false, timeLimitMs: null }),
        prepare: async ({ runId }) => waiting(runId),
        look: async () => 'exited',
        watch: () => ({ ended: Promise.resolve('exited'), close: () => undefined }),
        receipts: async () => ({}),
        conclude: async () => NOTHING_DONE,
        remains: async () => [],
        stop: async () => ({ remains: [], endedByItself: true }),
      },
      companions: { accompany: () => ({ finish: () => undefined }) },
    },
  };
};
