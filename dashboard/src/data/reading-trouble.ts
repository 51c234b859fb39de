import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isPassing } from './api.js';

/**
 * Why what is shown may be old although the connection stands: the reason for which something on the page could not be
 * read just now. It is tried again. Null while everything could be read.
 */
export const useReadingTrouble = (): unknown => {
  const cache = useQueryClient().getQueryCache();
  const watch = useCallback((watcher: () => void) => cache.subscribe(watcher), [cache]);
  return useSyncExternalStore(watch, () => {
    const failing = cache
      .getAll()
      .find((query) => query.isActive() && isPassing(query.state.fetchFailureReason));
    return failing?.state.fetchFailureReason ?? null;
  });
};
