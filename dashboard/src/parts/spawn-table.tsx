import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { hrefOfSpawns } from '../data/spawn-filter.js';
import { spawnStory, type SpawnView } from '../data/spawn-status.js';
import { shortId } from '../data/words.js';
import { SpawnStanding } from './spawn-standing.js';
import { Ago } from './time.js';

const HEADS = [
  'Spawn',
  'Status',
  'Agent',
  'Node',
  'Asked for',
  'What it waits for, or how it ended',
];

/** As the table of runs: cards on a narrow screen, with their roles written down. */
export const SpawnTable = ({ spawns }: { readonly spawns: readonly SpawnView[] }): ReactNode => (
  <table className="runs" role="table" aria-label="Spawns">
    <thead role="rowgroup">
      <tr role="row">
        {HEADS.map((head) => (
          <th role="columnheader" scope="col" key={head}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {spawns.map((spawn) => (
        <Row spawn={spawn} key={spawn.spawnId} />
      ))}
    </tbody>
  </table>
);

const Row = ({ spawn }: { readonly spawn: SpawnView }): ReactNode => (
  <tr role="row">
    <th role="rowheader" scope="row">
      <Link href={`/spawns/${spawn.spawnId}`} title={spawn.spawnId}>
        <code>{shortId(spawn.spawnId)}</code>
      </Link>
    </th>
    <td role="cell">
      <SpawnStanding spawn={spawn} />
    </td>
    <td role="cell" className="name" data-label="Agent">
      {spawn.agentName} ({spawn.harness})
    </td>
    <td role="cell" className="name" data-label="Node">
      {spawn.nodeId === null ? (
        'none yet'
      ) : (
        <Link href={hrefOfSpawns({ node: spawn.nodeId })} title={`Spawns on ${spawn.nodeId}`}>
          {spawn.nodeName ?? spawn.nodeId}
        </Link>
      )}
      {spawn.kind === 'strict' && ', strictly'}
    </td>
    <td role="cell" className="time" data-label="Asked for">
      <Ago at={spawn.claimedAt} />
    </td>
    <td role="cell" className="story">
      {spawnStory(spawn)}
    </td>
  </tr>
);
