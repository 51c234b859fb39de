import { useEffect, type ReactNode } from 'react';

/** The heading of a page, which names its tab and its place in the browser's history as well. */
export const PageTitle = ({
  children,
  tab,
}: {
  readonly children: ReactNode;
  /** What the tab says, where the heading is not plain text. */
  readonly tab?: string;
}): ReactNode => {
  const name = tab ?? (typeof children === 'string' ? children : '');
  useEffect(() => {
    document.title = name === '' ? 'Holdfast' : `${name} · Holdfast`;
  }, [name]);
  return <h1>{children}</h1>;
};
