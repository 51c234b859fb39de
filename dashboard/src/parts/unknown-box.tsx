import { useState, type ReactNode } from 'react';
import type { RunView, UnknownView } from '../../../libs/contracts/src/views.js';
import { useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { useMay } from '../data/queries.js';
import { MayNot } from './may-not.js';
import { Ago } from './time.js';
import { Trouble } from './trouble.js';

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

/** The most characters that a note may have. Source: the bound of the API. */
const NOTE_MAX = 2_000;

/** An operator's recorded decision on what can't be known. The first settlement, this one or proof, stands. */
export const ResolveForm = ({ run }: { readonly run: RunView }): ReactNode => {
  const may = useMay('resolve');
  const [as, setAs] = useState('');
  const [note, setNote] = useState('');
  const resolve = useCommand({
    path: `/runs/${run.runId}/resolution`,
    refreshes: [KEYS.run(run.runId), KEYS.unknowns, KEYS.runs, KEYS.counts],
  });
  if (may === 'unclear') return null;
  if (!may) return <MayNot doing="Settling it by decision" takes="an operator" />;
  return (
    <form
      className="ask"
      aria-label="Settle it by decision"
      onSubmit={(event) => {
        event.preventDefault();
        resolve.send({ as, note });
      }}
    >
      <label>
        Settle as
        <select value={as} required onChange={(event) => setAs(event.target.value)}>
          <option value="">choose…</option>
          {run.stop === null && <option value="completed">completed</option>}
          <option value="failed">failed</option>
          <option value="abandoned">abandoned</option>
        </select>
      </label>
      <label className="wide">
        Because
        <input
          value={note}
          required
          maxLength={NOTE_MAX}
          placeholder="what you found, and where"
          onChange={(event) => setNote(event.target.value)}
        />
      </label>
      <button type="submit" disabled={as === '' || note.trim() === '' || resolve.isSending}>
        Record the decision
      </button>
      <Trouble error={resolve.error} />
    </form>
  );
};
