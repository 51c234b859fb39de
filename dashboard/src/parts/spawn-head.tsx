import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { hrefOfSpawns } from '../data/spawn-filter.js';
import { spawnStory, standingOf, type SpawnDetailView } from '../data/spawn-status.js';
import { shortId } from '../data/words.js';
import { Fact } from './fact.js';
import { PageTitle } from './page-title.js';
import { StopAgentControl } from './spawn-controls.js';
import { SpawnStanding } from './spawn-standing.js';
import { Ago } from './time.js';

export const SpawnHead = ({ spawn }: { readonly spawn: SpawnDetailView }): ReactNode => {
  const { word } = standingOf(spawn);
  return (
    <header className="run-head">
      <div className="row">
        <PageTitle tab={`${word} · spawn ${shortId(spawn.spawnId)}`}>
          <SpawnStanding spawn={spawn} /> <code className="id">{spawn.spawnId}</code>
        </PageTitle>
        <StopAgentControl spawn={spawn} />
      </div>
      <p className="story">{spawnStory(spawn)}</p>
      <p className="unseen" role="status">
        Spawn {shortId(spawn.spawnId)} is {word}
      </p>
    </header>
  );
};

export const SpawnFacts = ({ spawn }: { readonly spawn: SpawnDetailView }): ReactNode => (
  <dl>
    <Fact name="Agent">
      {spawn.agentName} ({spawn.harness})
    </Fact>
    <Fact name="Node">
      <NodeLink spawn={spawn} />
    </Fact>
    <Fact name="Place">{placeWords(spawn)}</Fact>
    <Fact name="Asked for">
      <Ago at={spawn.claimedAt} /> by {spawn.requestedBy}
    </Fact>
    {spawn.dispatchedAt !== null && (
      <Fact name="Dispatched">
        <Ago at={spawn.dispatchedAt} />
      </Fact>
    )}
    {spawn.settledAt !== null && (
      <Fact name={spawn.status === 'completed' ? 'Started' : 'Failed'}>
        <Ago at={spawn.settledAt} />
      </Fact>
    )}
    {spawn.code !== null && (
      <Fact name="Code">
        <code>{spawn.code}</code>
      </Fact>
    )}
    {spawn.capabilities.length > 0 && <Fact name="Needs">{spawn.capabilities.join(', ')}</Fact>}
    {spawn.verifyReady && <Fact name="Ready first">refused where its node is not</Fact>}
    {(spawn.workerCwd ?? spawn.directory) !== null && (
      <Fact name="Works in">
        <code>{spawn.workerCwd ?? spawn.directory}</code>
      </Fact>
    )}
  </dl>
);

const NodeLink = ({ spawn }: { readonly spawn: SpawnDetailView }): ReactNode => {
  const { nodeId, nodeName, kind } = spawn;
  if (nodeId === null) return 'none yet: wherever it fits';
  return (
    <>
      <Link href={hrefOfSpawns({ node: nodeId })} title={nodeId}>
        {nodeName ?? nodeId}
      </Link>
      {kind === 'strict' ? ', and no other' : ''}
    </>
  );
};

const placeWords = ({ slot, round }: SpawnDetailView): string => {
  const rounds = round > 1 ? `, in round ${String(round)}` : '';
  return slot === 'none' ? `none${rounds}` : `${slot}${rounds}`;
};
