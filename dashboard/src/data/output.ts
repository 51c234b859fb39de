import { useEffect, useState } from 'react';
import type { OutputChunkView, OutputView } from '../../../libs/contracts/src/views.js';
import { isUnauthenticated, Refused, type Api } from './api.js';
import { pauseBefore } from './patience.js';
import { OutputText } from './output-text.js';
import { useSession } from './session.js';
import { useVisible } from './visible.js';

export interface ShownOutput {
  readonly text: string;
  /** How many bytes were read. */
  readonly bytes: number;
  /** Only the end is shown. */
  readonly isCut: boolean;
  readonly state: 'reading' | 'complete' | 'interrupted';
  readonly missingBytes: number;
  readonly truncated: boolean;
}

const NOTHING: ShownOutput = {
  text: '',
  bytes: 0,
  isCut: false,
  state: 'reading',
  missingBytes: 0,
  truncated: false,
};

/** How often what came in is shown, ms: a person sees no difference, and a page with much to show has time for the rest. */
const SHOW_EVERY_MS = 100;

/** Where a page that was hidden goes on. */
interface Progress {
  readonly text: OutputText;
  after: string | null;
}

/** A run's output, as it comes in. */
export const useOutput = (runId: string): ShownOutput => {
  const { api, expire } = useSession();
  const isVisible = useVisible();
  const [progress] = useState<Progress>(() => ({ text: new OutputText(), after: null }));
  const [shown, setShown] = useState(NOTHING);
  const isOver = shown.state === 'complete';
  useEffect(() => {
    if (!isVisible || isOver) return undefined;
    const leaving = new AbortController();
    let showing: ReturnType<typeof setTimeout> | undefined;
    const show = (change: Partial<ShownOutput>): void => {
      clearTimeout(showing);
      showing = undefined;
      const { bytes, isCut } = progress.text;
      setShown((before) => ({ ...before, text: progress.text.shown(), bytes, isCut, ...change }));
    };
    const take = (chunk: OutputChunkView): void => {
      progress.text.add({ ...chunk, bytes: bytesOf(chunk.data) });
      showing ??= setTimeout(() => show({ state: 'reading' }), SHOW_EVERY_MS);
    };
    void followOutput(api, runId, progress, { take, show, signal: leaving.signal }).catch(
      (error: unknown) => {
        if (isUnauthenticated(error)) expire();
        else show({ state: 'interrupted' });
      },
    );
    return () => {
      leaving.abort();
      if (showing !== undefined) show({});
    };
  }, [api, expire, runId, progress, isVisible, isOver]);
  return shown;
};

interface Follower {
  readonly take: (chunk: OutputChunkView) => void;
  readonly show: (change: Partial<ShownOutput>) => void;
  readonly signal: AbortSignal;
}

/** @throws Refused for good: no such run, or the token is no longer valid. */
const followOutput = async (
  api: Api,
  runId: string,
  progress: Progress,
  { take, show, signal }: Follower,
): Promise<void> => {
  let failures = 0;
  const onOpen = (): void => {
    failures = 0;
    show({ state: 'reading' });
  };
  while (!signal.aborted) {
    try {
      const listening = { after: progress.after, signal, onOpen };
      for await (const { id, type, data } of api.events(`/runs/${runId}/output`, listening)) {
        if (signal.aborted) return; // Another follower may have gone on from here already.
        if (id !== null) progress.after = id;
        if (type === 'chunk') take(JSON.parse(data) as OutputChunkView);
        if (type !== 'end') continue;
        const { missingBytes, truncated } = JSON.parse(data) as OutputView;
        show({ missingBytes, truncated, state: 'complete' });
        return;
      }
    } catch (error) {
      if (error instanceof Refused && !error.problem.retryable) throw error;
    }
    if (signal.aborted) return;
    show({ state: 'interrupted' });
    await pauseBefore(failures++, signal);
  }
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** How many pieces one answer may have. Source: the bound of the API. */
const PIECES_MAX = 200;

/** All that was kept of a run's output, as it was written: unlike what is shown, nothing is left out or changed. */
export const readWholeOutput = async (api: Api, runId: string): Promise<Blob> => {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let after = 0; ;) {
    const path = `/runs/${runId}/output?after=${String(after)}&limit=${String(PIECES_MAX)}`;
    const { items, next } = await api.get<OutputView>(path);
    for (const { data } of items) pieces.push(bytesOf(data));
    if (items.length === 0) return new Blob(pieces, { type: 'application/octet-stream' });
    after = next;
  }
};
