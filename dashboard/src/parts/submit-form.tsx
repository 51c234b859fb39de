import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type {
  AgentView,
  NodeView,
  SessionView,
  SubmissionView,
} from '../../../libs/contracts/src/views.js';
import { useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { useAgents, useMay, useNodes } from '../data/queries.js';
import { shortId } from '../data/words.js';
import { MayNot } from './may-not.js';
import { Trouble } from './trouble.js';

/** Submits a prompt to an agent, or into a session, where it waits for its turn. */
export const SubmitForm = ({ session }: { readonly session?: SessionView }): ReactNode => {
  const may = useMay('submit');
  if (may === 'unclear') return null;
  return may ? (
    <Form key={session?.sessionId ?? ''} {...(session && { session })} />
  ) : (
    <MayNot doing="Submitting" takes="an operator or an agent" />
  );
};

const Form = ({ session }: { readonly session?: SessionView }): ReactNode => {
  const [, navigate] = useLocation();
  const agents = useAgents();
  const [chosen, setChosen] = useState('');
  const [prompt, setPrompt] = useState('');
  const offered = (agents.data?.items ?? []).filter(
    ({ name, status }) => status === 'registered' && (!session || name === session.agent),
  );
  const agent = offered.find(({ name }) => name === chosen) ?? offered[0];
  const submit = useCommand<SubmissionView>({
    path: '/submissions',
    refreshes: [KEYS.runs, KEYS.counts],
    onDone: ({ runId }) => navigate(`/runs/${runId}`),
  });
  const isComplete = agent !== undefined && prompt.trim() !== '' && !submit.isSending;
  const send = (): void => {
    if (!isComplete) return;
    submit.send({
      agent: agent.name,
      prompt,
      ...(session && { session: session.sessionId }),
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <form
      className="submit"
      aria-label="Submit a prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="agent">
        Agent
        <select
          value={agent?.name ?? ''}
          disabled={offered.length === 0}
          onChange={(event) => setChosen(event.target.value)}
        >
          {offered.map((each) => (
            <AgentOption agent={each} key={each.name} />
          ))}
        </select>
      </label>
      <label className="wide">
        {session ? `Prompt, for session ${shortId(session.sessionId)}` : 'Prompt'}
        <textarea
          rows={2}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={onKeyDown}
          aria-keyshortcuts="Control+Enter"
        />
      </label>
      <button type="submit" disabled={!isComplete} title="Ctrl+Enter">
        {submit.isSending ? 'Submitting…' : 'Submit'}
      </button>
      {agents.data !== undefined && offered.length === 0 && (
        <p className="hint">No agent is registered: a node that joins brings its agents.</p>
      )}
      <Trouble error={submit.error} />
    </form>
  );
};

const AgentOption = ({ agent }: { readonly agent: AgentView }): ReactNode => {
  const nodes = useNodes();
  const node = nodes.data?.items.find(({ id }) => id === agent.node);
  return (
    <option value={agent.name}>
      {agent.name} on {agent.node}
      {conditionOf(node)}
    </option>
  );
};

/** A run for such a node is accepted, and waits. */
const conditionOf = (node: NodeView | undefined): string => {
  if (node?.membership === 'left') return ' (which has left)';
  return node?.liveness === 'silent' ? ' (silent now)' : '';
};
