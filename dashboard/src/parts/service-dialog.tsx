import { useState, type ReactNode } from 'react';
import type { NodeView } from '../../../libs/contracts/src/views.js';
import { useCommand } from '../data/command.js';
import { KEYS } from '../data/keys.js';
import { newKey } from '../data/new-key.js';
import {
  consequencesOfService,
  serviceChangeOf,
  type ServiceChange,
} from '../data/node-service.js';
import { useNodes } from '../data/queries.js';
import { ReasonDialog } from './reason-dialog.js';

/** The most characters that a reason may have. Source: the bound of the API. */
const REASON_MAX = 1_000;

/** Says what draining or returning a node does, and does it. */
export const ServiceDialog = ({
  node: asked,
  change,
  onChanged,
  onLeave,
}: {
  readonly node: NodeView;
  readonly change: ServiceChange;
  readonly onChanged: () => void;
  readonly onLeave: () => void;
}): ReactNode => {
  const node = useNodes().data?.items.find(({ id }) => id === asked.id) ?? asked;
  const [key] = useState(newKey);
  const command = useCommand({
    path: `/nodes/${encodeURIComponent(node.id)}/${change}`,
    key,
    refreshes: [KEYS.nodes, KEYS.spawns],
    onDone: onChanged,
  });
  return (
    <ReasonDialog
      words={{
        ...WORDS[change],
        title: `${change === 'drain' ? 'Drain' : 'Return'} node ${node.name}?`,
        hint:
          node.drained === null
            ? `${node.id}, in service`
            : `${node.id}, drained by ${node.drained.actor}: ${node.drained.reason}`,
        consequences: consequencesOfService(node, change),
        label: 'Reason, shown with the node',
      }}
      command={command}
      reasonMax={REASON_MAX}
      isOffered={serviceChangeOf(node) === change}
      onSend={(reason) => command.send({ reason })}
      onLeave={onLeave}
    />
  );
};

const WORDS = {
  drain: {
    form: 'Drain this node',
    placeholder: 'what is to be done with it',
    doIt: 'Drain this node',
    leave: 'Keep it in service',
  },
  return: {
    form: 'Return this node',
    placeholder: 'what was done',
    doIt: 'Return this node',
    leave: 'Keep it drained',
  },
} as const;
