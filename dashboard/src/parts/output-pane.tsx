import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { RunView } from '../../../libs/contracts/src/views.js';
import { readWholeOutput, useOutput, type ShownOutput } from '../data/output.js';
import { useSession } from '../data/session.js';
import { shortId, size } from '../data/words.js';
import { Trouble } from './trouble.js';

/** So near to the end, in CSS pixels, a reader counts as being there. */
const AT_END_PX = 24;

/** What a run writes, as it comes. It stays at the end unless somebody scrolls back. */
export const OutputPane = ({ run }: { readonly run: RunView }): ReactNode => {
  const output = useOutput(run.runId);
  const pane = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) pane.current?.scrollTo({ top: pane.current.scrollHeight });
  }, [output.text]);
  return (
    <>
      <div className="row">
        <h2 id="output-title">Output</h2>
        {output.bytes > 0 && <SaveButton runId={run.runId} />}
      </div>
      <pre
        className="output"
        tabIndex={0}
        role="region"
        aria-labelledby="output-title"
        ref={pane}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
        }}
      >
        {output.text === '' ? <span className="empty">{EMPTY[output.state]}</span> : output.text}
      </pre>
      <p className="hint">{factsOf(run, output).join(' · ')}</p>
    </>
  );
};

const EMPTY: Readonly<Record<ShownOutput['state'], string>> = {
  reading: 'No output yet.',
  complete: 'No output.',
  interrupted: 'The connection was lost; trying again…',
};

const factsOf = (run: RunView, output: ShownOutput): readonly string[] => [
  ...(output.bytes > 0 ? [size(output.bytes)] : []),
  ...(output.isCut ? ['only the end is shown'] : []),
  ...(output.truncated ? ['only the first 16 MiB are kept'] : []),
  ...(output.missingBytes > 0
    ? [`${output.missingBytes.toLocaleString()} bytes were counted by the node and are not here`]
    : []),
  ...(run.output === null ? [] : [`SHA-256 ${run.output.sha256.slice(0, 16)}…`]),
  ...(output.state === 'interrupted' && output.text !== ''
    ? ['connection lost, trying again…']
    : []),
];

const SaveButton = ({ runId }: { readonly runId: string }): ReactNode => {
  const { api } = useSession();
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async (): Promise<void> => {
    setSaving(true);
    setError(null);
    try {
      offer(await readWholeOutput(api, runId), `run-${shortId(runId)}.txt`);
    } catch (problem) {
      setError(problem);
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      <Trouble error={error} />
      <button type="button" className="quiet" disabled={isSaving} onClick={() => void save()}>
        {isSaving ? 'Reading…' : 'Save all'}
      </button>
    </>
  );
};

/** Lets the browser save it, as if a link to it had been followed. */
const offer = (blob: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};
