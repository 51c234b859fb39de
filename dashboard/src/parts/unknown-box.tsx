import type { ReactNode } from 'react';
import type { RunView, UnknownView } from '../../../libs/contracts/src/views.js';
import { useControls } from '../data/controls.js';
import { useMay } from '../data/queries.js';
import { MayNot } from './may-not.js';
import { Ago } from './time.js';

/** Why an outcome is not known, and what can be done. */
export const Doubt = ({ unknown }: { readonly unknown: UnknownView }): ReactNode => (
  <>
    <p className="reason">{unknown.reason}</p>
    <p className="hint">
      <code>{unknown.code}</code> · {WITNESSES[unknown.witness]} <Ago at={unknown.since} /> ·{' '}
      {unknown.fenced ? 'proven to run no longer' : 'it may still be running'}
      {unknown.lastHeardAt !== null && (
        <>
          {' '}
          · last heard of <Ago at={unknown.lastHeardAt} />
        </>
      )}
    </p>
    <p>{unknown.advice}</p>
  </>
);

/** Who says that it can't be known. */
const WITNESSES: Readonly<Record<UnknownView['witness'], string>> = {
  node: 'said by its node',
  saga: 'its node did not answer,',
  reconciler: 'found by the reconciler',
};

/** Offers to settle it by decision. */
export const SettleControl = ({ run }: { readonly run: RunView }): ReactNode => {
  const may = useMay('resolve');
  const { ask } = useControls();
  if (may === 'unclear') return null;
  if (!may) return <MayNot doing="Settling it by decision" takes="an operator" />;
  return (
    <button type="button" onClick={() => ask({ what: 'settle', run })}>
      Settle…
    </button>
  );
};
