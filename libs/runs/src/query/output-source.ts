import type { NodeId, RunId, WorkspaceId } from '#kernel';
import type { OutputPiece } from './output-coverage.js';

/** A piece of output as it is stored. */
export interface StoredOutput extends OutputPiece {
  /** Where it stands in the stream of all output. */
  readonly sequence: number;
}

/** Whose output, and from which node: what another node wrote is not this run's. */
export interface OutputOf {
  readonly workspace: WorkspaceId;
  readonly run: RunId;
  readonly node: NodeId;
}

/** Where output is kept. */
export interface OutputSource {
  /**
   * Pieces in the order in which they were stored.
   *
   * @param after the last sequence that the caller has; 0 from the start.
   * @param limit how many at most; one has at most 64 KiB.
   * @returns `end`: there was nothing more when this was read.
   * @throws StoreUnavailable
   */
  read(
    of: OutputOf,
    options: { readonly after: number; readonly limit: number },
  ): Promise<{ readonly chunks: readonly StoredOutput[]; readonly end: boolean }>;
}
export const OUTPUT_SOURCE = Symbol('OutputSource');
