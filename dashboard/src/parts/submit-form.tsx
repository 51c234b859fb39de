import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { AgentView, Page, SubmissionView } from '../../../libs/contracts/src/views.js';
import { useSession } from '../data/session.js';
import { Trouble } from './trouble.js';

/** Submits a prompt. One key for one intent: pressing the button again after a lost answer can't send it twice. */
export const SubmitForm = (): ReactNode => {
  const { api } = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: () => api.get<Page<AgentView>>('/agents'),
  });
  const [chosen, setChosen] = useState('');
  const [prompt, setPrompt] = useState('');
  const intent = useRef({ text: '', key: '' });
  const offered = (agents.data?.items ?? []).filter((agent) => agent.status === 'registered');
  const agent = chosen === '' ? (offered[0]?.name ?? '') : chosen;
  const submit = useMutation({
    mutationFn: () => {
      const text = JSON.stringify([agent, prompt]);
      if (intent.current.text !== text) intent.current = { text, key: crypto.randomUUID() };
      return api.post<SubmissionView>('/submissions', { agent, prompt }, intent.current.key);
    },
    onSuccess: ({ runId }) => {
      intent.current = { text: '', key: '' };
      setPrompt('');
      void queries.invalidateQueries({ queryKey: ['runs'] });
      navigate(`/runs/${runId}`);
    },
  });
  return (
    <form
      className="submit"
      aria-label="Submit a prompt"
      onSubmit={(event) => {
        event.preventDefault();
        submit.mutate();
      }}
    >
      <label>
        Agent
        <select
          value={agent}
          onChange={(event) => {
            setChosen(event.target.value);
          }}
        >
          {offered.map(({ name, node }) => (
            <option key={name} value={name}>
              {name} on {node}
            </option>
          ))}
        </select>
      </label>
      <label className="wide">
        Prompt
        <textarea
          rows={2}
          value={prompt}
          onChange={(event) => {
            setPrompt(event.target.value);
          }}
        />
      </label>
      <button type="submit" disabled={agent === '' || prompt === '' || submit.isPending}>
        {submit.isPending ? 'Submitting…' : 'Submit'}
      </button>
      <Trouble error={submit.error ?? agents.error} />
    </form>
  );
};
