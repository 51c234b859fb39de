import type { ReactNode } from 'react';
import type { Found } from '../../../libs/contracts/src/system.view.js';
import type { Level } from '../data/system-judge.js';

const SIGNS: Readonly<Record<Level, string>> = { fine: '✓', slow: '▲', stuck: '✕', unseen: '?' };
const WORDS: Readonly<Record<Level, string>> = {
  fine: 'fine',
  slow: 'slow',
  stuck: 'stuck',
  unseen: 'not known',
};

/** By sign, word and colour: none of the three alone. */
export const LevelSign = ({ level }: { readonly level: Level }): ReactNode => (
  <span className={`level level-${level}`}>
    <span aria-hidden="true">{SIGNS[level]}</span> {WORDS[level]}
  </span>
);

/** A part of the page: what was found, or why nothing was; and from where on it counts as slow. */
export const Part = <Value,>({
  title,
  found: { value, why },
  source,
  children,
}: {
  readonly title: string;
  readonly found: Found<Value>;
  readonly source?: string;
  readonly children: (value: Value) => ReactNode;
}): ReactNode => (
  <section className="card part" aria-label={title}>
    <h2>{title}</h2>
    {value === null ? (
      <p>
        <LevelSign level="unseen" /> {why}
      </p>
    ) : (
      children(value)
    )}
    {source !== undefined && <p className="hint source">{source}</p>}
  </section>
);

/** One line of a part: how it stands, what it is, and what is to be known of it. */
export const Item = ({
  level,
  name,
  children,
}: {
  readonly level: Level | null;
  readonly name: ReactNode;
  readonly children: ReactNode;
}): ReactNode => (
  <li className="item">
    <span>{level !== null && <LevelSign level={level} />}</span>
    <b>{name}</b>
    <span className="facts">{children}</span>
  </li>
);
