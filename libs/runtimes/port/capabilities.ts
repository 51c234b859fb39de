/**
 * What a runtime can do. Declared by its adapter, tested by the conformance suite, stored on a run at submission and not
 * changed by later configuration. The protocol reads it instead of the runtime's name.
 */
export interface RuntimeCapabilities {
  /**
   * `single`: one attempt, whatever happens (class S). `resumable`: a later attempt can look up what became of the prompt
   * and go on in the same thread, without sending the prompt again (class R).
   */
  readonly attempts: 'single' | 'resumable';
  /** Sending the same prompt with the same key again is proved to have no effect. False unless the suite shows it. */
  readonly deduplicatesByKey: boolean;
  /** A prompt can be found by our key in the runtime's own history, also after its crash. */
  readonly readBackByKey: boolean;
  /** A running turn can be told to stop, besides killing the process. */
  readonly interruptible: boolean;
  /**
   * An agent that ends in order leaves the work running, and its next incarnation takes it up. Any program outlives the
   * death of its agent and is adopted; this says that it should also outlive its shutdown.
   */
  readonly outlivesClient: boolean;
}

/** Most attempts of one run. A generation without an attempt does not count. Source: the protocol's two classes. */
export const attemptsMax = ({ attempts }: Pick<RuntimeCapabilities, 'attempts'>): number =>
  attempts === 'resumable' ? 5 : 1;
