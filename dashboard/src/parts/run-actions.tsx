import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import type { RunView, StopView } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { Trouble } from './trouble.js';

const STOPPABLE: readonly RunView['status'][] = ['queued', 'dispatched', 'running', 'unknown'];

export const StopButton = ({ run }: { readonly run: RunView }): ReactNode => {
  const { api } = useSession();
  const queries = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const stop = useMutation({
    mutationFn: () => {
      const body = { target: { kind: 'run', id: run.runId }, reason: 'stopped from the dashboard' };
      return api.post<StopView>('/stops', body, key.current);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', run.runId] }),
  });
  if (!STOPPABLE.includes(run.status) || run.stop !== null) return null;
  return (
    <>
      <button
        type="button"
        className="danger"
        disabled={stop.isPending}
        onClick={() => {
          stop.mutate();
        }}
      >
        Stop
      </button>
      <Trouble error={stop.error} />
    </>
  );
};

/** An operator's recorded decision on what can't be known. The first settlement, this one or proof, stands. */
export const ResolveForm = ({ run }: { readonly run: RunView }): ReactNode => {
  const { api } = useSession();
  const queries = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const [as, setAs] = useState('abandoned');
  const [note, setNote] = useState('');
  const resolve = useMutation({
    mutationFn: () => api.post(`/runs/${run.runId}/resolution`, { as, note }, key.current),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', run.runId] }),
    // Another decision is another intent.
    onError: () => {
      key.current = crypto.randomUUID();
    },
  });
  return (
    <form
      className="resolve"
      aria-label="Settle it by decision"
      onSubmit={(event) => {
        event.preventDefault();
        resolve.mutate();
      }}
    >
      <label>
        Settle as{' '}
        <select
          value={as}
          onChange={(event) => {
            setAs(event.target.value);
          }}
        >
          {run.stop === null && <option value="completed">completed</option>}
          <option value="failed">failed</option>
          <option value="abandoned">abandoned</option>
        </select>
      </label>
      <label className="wide">
        Because{' '}
        <input
          value={note}
          maxLength={2_000}
          placeholder="what you found, and where"
          onChange={(event) => {
            setNote(event.target.value);
          }}
        />
      </label>
      <button type="submit" disabled={note === '' || resolve.isPending}>
        Record the decision
      </button>
      <Trouble error={resolve.error} />
    </form>
  );
};
