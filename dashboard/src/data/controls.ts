import { createContext, useContext } from 'react';
import type { NodeView, RunView } from '../../../libs/contracts/src/views.js';
import type { ServiceChange } from './node-service.js';
import type { SpawnView } from './spawn-status.js';

/** What is asked for, and of what. */
export type Asked =
  | { readonly what: 'stop' | 'settle'; readonly run: RunView }
  | { readonly what: 'stop-agent' | 'decide'; readonly spawn: SpawnView }
  | { readonly what: ServiceChange; readonly node: NodeView };

/** What can be asked for from wherever a run, a spawn or a node is shown. */
export interface Controls {
  /** Says what it would do, and asks. */
  readonly ask: (asked: Asked) => void;
  /** The stop that was accepted here for a run or a spawn, also one that came too late to be recorded on it. */
  readonly stopOf: (id: string) => string | null;
}

export const ControlsContext = createContext<Controls | null>(null);

export const useControls = (): Controls => {
  const controls = useContext(ControlsContext);
  if (controls === null) throw new Error('bug: no controls around this component');
  return controls;
};
