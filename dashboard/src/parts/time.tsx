import { useEffect, useState, type ReactNode } from 'react';

/** A moment as people say it, and exactly on pointing at it. */
export const Ago = ({ at }: { readonly at: string | null }): ReactNode => {
  const now = useNow();
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {ago(now - Date.parse(at))}
    </time>
  );
};

export const ago = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${String(seconds)} s ago`;
  if (seconds < 3_600) return `${String(Math.floor(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3_600))} h ago`;
  return `${String(Math.floor(seconds / 86_400))} d ago`;
};

const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
};
