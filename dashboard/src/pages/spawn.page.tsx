import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useControls } from '../data/controls.js';
import { useSpawn, useSpawnTimeline } from '../data/spawn-queries.js';
import { isUndecided, type SpawnDetailView } from '../data/spawn-status.js';
import { PageTitle } from '../parts/page-title.js';
import { AgentStopNote, DecideControl, SpawnDoubt } from '../parts/spawn-controls.js';
import { SpawnFacts, SpawnHead } from '../parts/spawn-head.js';
import { Ago } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { ReadingTrouble } from '../parts/trouble.js';

export const SpawnPage = ({ spawnId }: { readonly spawnId: string }): ReactNode => {
  const { data: spawn, error } = useSpawn(spawnId);
  const timeline = useSpawnTimeline(spawnId);
  const { stopOf } = useControls();
  if (spawn === undefined) return <NoSpawn error={error} />;
  const entries = timeline.data ?? [];
  const stopId = spawn.stop?.stopId ?? stopOf(spawnId);
  return (
    <article>
      <SpawnHead spawn={spawn} />
      <ReadingTrouble error={error} shown />
      {isUndecided(spawn) && <Undecided spawn={spawn} />}
      <Decision spawn={spawn} />
      {stopId !== null && <AgentStopNote spawn={spawn} stopId={stopId} key={stopId} />}
      <Evidence spawn={spawn} />
      <SpawnFacts spawn={spawn} />
      <div className="columns">
        <section>
          <h2 id="task-title">Task</h2>
          <pre className="prompt" tabIndex={0} role="region" aria-labelledby="task-title">
            {spawn.task}
          </pre>
        </section>
        <section aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <ReadingTrouble error={timeline.error} shown={entries.length > 0} />
          <Timeline entries={entries} />
        </section>
      </div>
    </article>
  );
};

const Undecided = ({ spawn }: { readonly spawn: SpawnDetailView }): ReactNode => (
  <section className="doubt-box" aria-labelledby="unknown-title">
    <h2 id="unknown-title">
      {spawn.agent === 'alive'
        ? 'Its agent is alive after all'
        : 'Whether its agent was started is not known'}
    </h2>
    {spawn.unknown !== null && <SpawnDoubt unknown={spawn.unknown} />}
    <DecideControl spawn={spawn} />
  </section>
);

/** What an operator decided, and why. */
const Decision = ({ spawn: { resolution } }: { readonly spawn: SpawnDetailView }): ReactNode =>
  resolution !== null && (
    <p className="note">
      Decided <Ago at={resolution.at} /> by {resolution.actor}: <b>{resolution.as}</b>, “
      {resolution.note}”
    </p>
  );

/** What was learned too late to change the answer. */
const Evidence = ({ spawn }: { readonly spawn: SpawnDetailView }): ReactNode => {
  if (spawn.alarming)
    return (
      <p className="trouble" role="alert">
        Evidence came that an agent was started which was held to be certainly unsent. See the
        timeline.
      </p>
    );
  if (spawn.lateEvidence === 0) return null;
  return (
    <p className="note">
      {spawn.lateEvidence === 1 ? 'A report' : `${String(spawn.lateEvidence)} reports`} came too
      late to change the answer. See the timeline.
    </p>
  );
};

const NoSpawn = ({ error }: { readonly error: unknown }): ReactNode =>
  error === null ? (
    <>
      <PageTitle>Spawn</PageTitle>
      <p className="empty">Reading…</p>
    </>
  ) : (
    <>
      <PageTitle>This spawn can not be shown</PageTitle>
      <ReadingTrouble error={error} shown={false} />
      <p>
        <Link href="/spawns">All spawns</Link>
      </p>
    </>
  );
