import { useEffect, useState } from 'react';
import type { OutputChunkView, OutputView } from '../../../libs/contracts/src/views.js';
import { useSession } from './session.js';

export interface ShownOutput {
  readonly text: string;
  readonly state: 'reading' | 'complete' | 'interrupted';
  readonly missingBytes: number;
  readonly truncated: boolean;
}

/** Characters that a page keeps: the end of a long output is what people look at. */
const SHOWN_MAX = 200_000;

/** A run's output, as it comes in. */
export const useOutput = (runId: string): ShownOutput => {
  const { api } = useSession();
  const [shown, setShown] = useState<ShownOutput>(NOTHING);
  useEffect(() => {
    const abort = new AbortController();
    setShown(NOTHING);
    void follow();
    return () => {
      abort.abort();
    };

    async function follow(): Promise<void> {
      const decoder = new TextDecoder();
      let last: string | null = null;
      while (!abort.signal.aborted) {
        try {
          for await (const event of api.events(`/runs/${runId}/output`, last, abort.signal)) {
            last = event.id ?? last;
            if (event.type === 'end') {
              const { missingBytes, truncated } = JSON.parse(event.data) as OutputView;
              setShown((before) => ({ ...before, missingBytes, truncated, state: 'complete' }));
              return;
            }
            if (event.type !== 'output') continue;
            const { data } = JSON.parse(event.data) as OutputChunkView;
            const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
            const text = decoder.decode(bytes, { stream: true });
            setShown((before) => ({
              ...before,
              state: 'reading',
              text: (before.text + text).slice(-SHOWN_MAX),
            }));
          }
        } catch {
          if (!abort.signal.aborted) setShown((before) => ({ ...before, state: 'interrupted' }));
        }
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }, [api, runId]);
  return shown;
};

const NOTHING: ShownOutput = { text: '', state: 'reading', missingBytes: 0, truncated: false };
