/** What helps against a refusal, where the refusal itself does not say. One line each. */
export const REMEDIES: Readonly<Record<string, readonly string[]>> = {
  agent_not_found: ['`holdfast agents` lists the agents that there are.'],
  run_not_found: ['`holdfast runs --json` lists runs with their whole ids.'],
  run_not_unknown: ['`holdfast unknowns` lists what can be resolved.'],
  node_not_found: ['`holdfast nodes` lists the nodes that there are.'],
  node_target_mismatch: [
    '`holdfast nodes` shows what each node is called; without --node-name the name is looked up.',
  ],
  node_capability_missing: ['`holdfast nodes` shows which harnesses each node offers.'],
  node_offline: [
    'Nothing was sent. `holdfast nodes` shows which nodes are alive: repeat it under the same key when this one is back.',
  ],
  node_not_ready: [
    'Nothing was sent. `holdfast nodes` shows which harnesses are not ready.',
    'Repeat it under the same key when this one is, or leave out --verify-ready, under another key, to have it wait.',
    'What was claimed before is not started meanwhile: it waits for that repeat, for ten minutes.',
  ],
  agent_token_required: [
    'A strict spawn belongs to the agent that asks for it: set HOLDFAST_TOKEN to an agent’s token.',
    '`holdfast token issue agent:<name> --role agent` makes one.',
  ],
  invocation_not_found: [
    'This caller has asked for nothing under this key. The same command without --replay asks for it.',
  ],
  idempotency_conflict: [
    'The key stands for another request: repeat that one word for word, or take another key.',
  ],
  spawn_not_found: ['`holdfast spawns --json` lists spawns with their whole ids.'],
  spawn_not_unknown: ['`holdfast spawns --unknown` lists what can be resolved.'],
  spawn_agent_not_seen: [
    'Only an agent that its node has reported alive can be adopted: wait for the node, or resolve it as stop or free.',
  ],
  spawn_has_no_agent: [
    '`holdfast spawns show <spawn>` says where it stands.',
    'One whose outcome is unknown is ended with `holdfast spawns resolve <spawn> --as stop`, as long as nobody has decided on it.',
    'One that is pending can not be withdrawn: it is started, or expires ten minutes after its claim.',
  ],
};
