import type { ReactNode } from 'react';
import { useOutput, type ShownOutput } from '../data/output.js';

export const OutputPane = ({ runId }: { readonly runId: string }): ReactNode => {
  const output = useOutput(runId);
  return (
    <>
      <pre className="output" tabIndex={0} aria-label="Output">
        {output.text === '' ? <span className="empty">{emptyWord(output)}</span> : output.text}
      </pre>
      {output.truncated && <p className="hint">Only the first 16 MiB are kept.</p>}
      {output.missingBytes > 0 && (
        <p className="hint">
          {output.missingBytes.toLocaleString()} bytes were counted by the node and are not here.
        </p>
      )}
    </>
  );
};

const emptyWord = (output: ShownOutput): string => {
  switch (output.state) {
    case 'reading':
      return 'No output yet.';
    case 'complete':
      return 'No output.';
    case 'interrupted':
      return 'The connection was lost; trying again.';
  }
};
