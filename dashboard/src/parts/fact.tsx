import type { ReactNode } from 'react';

/** One thing that is known of what a page shows. */
export const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
