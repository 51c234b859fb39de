import { describe, expect, it } from '@jest/globals';
import type { AgentBinding } from '../contract/index.js';
import type { AgentEvent } from '../domain/index.js';
import type { AgentRow } from './agent-view.row.js';
import { projectAgent } from './agent.projector.js';

const binding: AgentBinding = {
  name: 'echo',
  node: 'n1',
  runtime: 'cli',
  attempts: 'single',
  deduplicatesByKey: false,
  readBackByKey: false,
  interruptible: true,
  outlivesClient: false,
  promptBy: 'argument',
};
const registered = (at: number, over: Partial<AgentBinding> = {}): AgentEvent => ({
  type: 'AgentRegistered',
  data: { binding: { ...binding, ...over }, at },
});
const ended = (at: number): AgentEvent => ({
  type: 'AgentEnded',
  data: { name: 'echo', node: 'n1', reason: 'gone', at },
});
const project = (events: readonly AgentEvent[]): AgentRow | undefined =>
  events.reduce<AgentRow | undefined>(
    (row, event, index) =>
      projectAgent(row, event, { workspace: 'main', sequence: index + 1 }) ?? row,
    undefined,
  );
const row = (over: Partial<AgentRow>): AgentRow => ({
  ...binding,
  workspace: 'main',
  status: 'registered',
  registeredAt: 1,
  updatedAt: 1,
  sequence: 1,
  ...over,
});

describe('the row of an agent', () => {
  it('AgentRegistered', () => expect(project([registered(1)])).toStrictEqual(row({})));

  it('AgentRegistered again: with what changed, and addressable since it was first', () =>
    expect(project([registered(1), registered(2, { promptBy: 'stdin' })])).toStrictEqual(
      row({ promptBy: 'stdin', updatedAt: 2, sequence: 2 }),
    ));

  it('AgentEnded', () =>
    expect(project([registered(1), ended(2)])).toStrictEqual(
      row({ status: 'ended', updatedAt: 2, sequence: 2 }),
    ));

  it('AgentRegistered after its end: addressable since then, on another node', () =>
    expect(project([registered(1), ended(2), registered(3, { node: 'n2' })])).toStrictEqual(
      row({ node: 'n2', registeredAt: 3, updatedAt: 3, sequence: 3 }),
    ));

  it('AgentRegistered of a spawn: no address that work can be submitted to', () =>
    expect(project([registered(1, { spawn: 's1' }), ended(2)])).toBeUndefined());

  it('AgentEnded of one that never was: no row', () => expect(project([ended(1)])).toBeUndefined());
});
