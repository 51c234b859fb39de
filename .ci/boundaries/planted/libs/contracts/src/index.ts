import type { RunId } from '#runs/contract';

export interface RunView {
  readonly id: RunId;
}
export const version = 1;
