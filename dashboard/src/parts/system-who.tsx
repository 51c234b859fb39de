import type { ReactNode } from 'react';
import type { SystemView, SystemWindowsView } from '../../../libs/contracts/src/system.view.js';
import { SOURCES, ofHolder, ofNode, ofRoundTrip, ofStream } from '../data/system-judge.js';
import { duration, size } from '../data/words.js';
import { Ago } from './time.js';
import { Item, Part } from './verdict.js';

/** Who holds which node's lease, and when it was renewed. */
export const Nodes = ({
  nodes,
  windows,
  now,
}: Pick<SystemView, 'nodes'> & {
  readonly windows: SystemWindowsView | null;
  readonly now: number;
}): ReactNode => (
  <Part
    title="Leases of nodes"
    found={nodes}
    source={
      windows === null
        ? SOURCES.nodes
        : `${SOURCES.nodes} A lease lasts ${duration(windows.leaseMs)}, and is renewed every ${duration(windows.renewalMs)}.`
    }
  >
    {(items) => (
      <ul className="items">
        {items.length === 0 && <li className="empty">No node has joined.</li>}
        {items.map((node) => (
          <Item
            key={node.id}
            level={node.membership === 'left' ? null : ofNode(node, windows, now).level}
            name={node.id}
          >
            {node.membership === 'left' ? 'left' : node.liveness} · renewed{' '}
            <Ago at={node.lastHeardAt} /> · {node.running} of {node.maxRuns} runs
            {node.waiting > 0 && `, ${String(node.waiting)} wait`}
            {node.incarnation !== null && (
              <>
                {' '}
                · held by incarnation <code>{node.incarnation.slice(0, 8)}</code>, journal{' '}
                <code>{node.journalId.slice(0, 8)}</code>
              </>
            )}
          </Item>
        ))}
      </ul>
    )}
  </Part>
);

/** Which process is the active one of those that could be. */
export const Holders = ({ holders }: Pick<SystemView, 'holders'>): ReactNode => (
  <Part title="Who is active" found={holders} source={SOURCES.holders}>
    {(items) => (
      <ul className="items">
        {items.map((one) => (
          <Item
            key={`${one.role} ${one.of}`}
            level={ofHolder(one).level}
            name={one.role === 'projector' ? `read model ${one.of}` : 'reconciler'}
          >
            {one.holder === null ? (
              'nobody'
            ) : (
              <>
                <code>{one.holder}</code>, heard of {duration(one.heardMsAgo ?? 0)} ago
              </>
            )}
          </Item>
        ))}
      </ul>
    )}
  </Part>
);

/** What the gateway needs, and whether it is there. */
export const Services = ({ system: { readiness } }: { readonly system: SystemView }): ReactNode => (
  <Part title="What the gateway needs" found={{ value: readiness, why: null }}>
    {({ checks }) => (
      <ul className="items">
        {Object.entries(checks)
          .filter(([name]) => name !== 'durability')
          .map(([name, { ok, detail }]) => (
            <Item key={name} level={ok ? 'fine' : 'stuck'} name={name}>
              {detail}
            </Item>
          ))}
      </ul>
    )}
  </Part>
);

export const Durability = ({ readiness }: Pick<SystemView, 'readiness'>): ReactNode => (
  <Part
    title="Durability in force"
    found={{
      value: readiness.durability,
      why: readiness.checks['durability']?.detail ?? 'the broker was not asked',
    }}
  >
    {({ survives, explanation }) => (
      <>
        <p>
          <b>{SURVIVES[survives]}</b>
        </p>
        <p>{explanation.charAt(0).toUpperCase() + explanation.slice(1)}.</p>
      </>
    )}
  </Part>
);

const SURVIVES = {
  'process-death': 'Survives the death of any process, and not every power failure.',
  'power-loss': 'Survives the death of any process, and power loss.',
} as const;

export const Stores = ({
  broker,
  database,
}: Pick<SystemView, 'broker' | 'database'>): ReactNode => (
  <>
    <Part title="Broker" found={broker} source={SOURCES.stores}>
      {({ serverVersion, roundTripMs, streams }) => (
        <ul className="items">
          <Item level={ofRoundTrip('', roundTripMs).level} name="nats-server">
            {serverVersion} · answers in {duration(roundTripMs)}
          </Item>
          {streams.map((stream) => (
            <Item key={stream.name} level={ofStream(stream).level} name={stream.name}>
              ends at {stream.lastSequence.toLocaleString('en')} · {size(stream.bytes)} ·{' '}
              {stream.copies === 1
                ? 'one copy'
                : `${String(stream.copies - stream.copiesBehind)} of ${String(stream.copies)} copies up to date`}
            </Item>
          ))}
        </ul>
      )}
    </Part>
    <Part title="Postgres" found={database}>
      {({ roundTripMs }) => (
        <ul className="items">
          <Item level={ofRoundTrip('', roundTripMs).level} name="read models">
            answers in {duration(roundTripMs)}
          </Item>
        </ul>
      )}
    </Part>
  </>
);
