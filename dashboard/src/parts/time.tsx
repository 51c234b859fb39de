import type { ReactNode } from 'react';
import { useNow } from '../data/clock.js';
import { ago, duration } from '../data/words.js';

/** A moment as people say it, and exactly on pointing at it. */
export const Ago = ({ at }: { readonly at: string | null }): ReactNode => {
  const now = useNow();
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(now - Date.parse(at))}
    </time>
  );
};

/** How long something took, or has been going on. */
export const Took = ({
  from,
  to,
}: {
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
}): ReactNode => (to === null ? <GoingOn from={from} /> : <>{duration(Math.max(0, to - from))}</>);

/** Counts in whole seconds. */
const GoingOn = ({ from }: { readonly from: number }): ReactNode => {
  const now = useNow();
  const seconds = Math.max(0, Math.floor((now - from) / 1_000));
  return <>{seconds < 10 ? `${String(seconds)} s` : duration(seconds * 1_000)}</>;
};
