import { createContext, useContext } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';

/** What can be asked for from wherever a run is shown. */
export interface Controls {
  /** Says what it would do, and asks. */
  readonly ask: (what: 'stop' | 'settle', run: RunView) => void;
  /** The stop that was accepted here for a run, also one that came too late to be recorded on it. */
  readonly stopOf: (runId: string) => string | null;
}

export const ControlsContext = createContext<Controls | null>(null);

export const useControls = (): Controls => {
  const controls = useContext(ControlsContext);
  if (controls === null) throw new Error('bug: no controls around this component');
  return controls;
};
