/** Where a run's work is in its runtime: what a resumption is given instead of the prompt. */
export interface RuntimeReferences {
  readonly thread?: string;
  readonly turn?: string;
}
