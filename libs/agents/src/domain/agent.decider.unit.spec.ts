import { describe, it } from '@jest/globals';
import { deciderSpec } from '#testing';
import type { AgentBinding } from '../contract/index.js';
import { AGENT, type AgentCommand, type AgentEvent } from './agent.decider.js';

const binding: AgentBinding = {
  name: 'agent-1',
  node: 'node-1',
  runtime: 'cli',
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: true,
  outlivesClient: false,
  promptBy: 'stdin',
};
const register = (changes: Partial<AgentBinding> = {}): AgentCommand => ({
  type: 'RegisterAgent',
  binding: { ...binding, ...changes },
  now: 1_000,
});
const end = (node = 'node-1'): AgentCommand => ({
  type: 'EndAgent',
  name: 'agent-1',
  node,
  reason: 'left',
  now: 1_000,
});
const registered = (changes: Partial<AgentBinding> = {}): AgentEvent => ({
  type: 'AgentRegistered',
  data: { binding: { ...binding, ...changes }, at: 1_000 },
});
const ended: AgentEvent = {
  type: 'AgentEnded',
  data: { name: 'agent-1', node: 'node-1', reason: 'left', at: 1_000 },
};
const given = deciderSpec(AGENT, 'agent-1');

describe('the agent of a spawn', () => {
  const spawned = registered({ spawn: 'spawn-1' });

  it('is not offered by a node that joins with its id for a name', () =>
    given([spawned])
      .when(register())
      .thenRefuses('agent_bound_elsewhere', { agent: 'agent-1', node: 'node-1' }));

  it('is not ended by what nodes offer no longer', () => given([spawned]).when(end()).then([]));

  it('does not come back when it has ended', () =>
    given([spawned, ended])
      .when(register({ spawn: 'spawn-1' }))
      .then([]));
});

describe('an agent', () => {
  it('can be addressed once its node offers it', () =>
    given([]).when(register()).then([registered()]));

  it('that is offered again unchanged is no news', () =>
    given([registered()]).when(register()).then([]));

  it.each([
    ['its runtime', { runtime: 'resumable-sample' }],
    ['what may be done with its work', { attempts: 'resumable' as const }],
    ['how it takes its prompt', { promptBy: 'argument' as const }],
  ])('is registered anew when %s changed', (_what, changes) =>
    given([registered()])
      .when(register(changes))
      .then([registered(changes)]),
  );

  it('is registered anew when a newer node says more of it', () => {
    const { promptBy: _, ...older } = binding;
    return given([{ type: 'AgentRegistered', data: { binding: older as AgentBinding, at: 900 } }])
      .when(register())
      .then([registered()]);
  });

  it('is bound to one node', () =>
    given([registered()])
      .when(register({ node: 'node-2' }))
      .thenRefuses('agent_bound_elsewhere', { agent: 'agent-1', node: 'node-1' }));

  it('may move to another node when its own has let it go', () =>
    given([registered(), ended])
      .when(register({ node: 'node-2' }))
      .then([registered({ node: 'node-2' })]));

  it('ends when its node offers it no longer', () =>
    given([registered()]).when(end()).then([ended]));

  it('comes back when its node offers it again', () =>
    given([registered(), ended]).when(register()).then([registered()]));

  it.each([
    ['another node lets it go', [registered()], 'node-2'],
    ['it has ended', [registered(), ended], 'node-1'],
    ['nobody offered it', [], 'node-1'],
  ])('is left alone when %s', (_what, history, node) => given(history).when(end(node)).then([]));
});
