import { useSyncExternalStore } from 'react';

const watch = (watcher: () => void): (() => void) => {
  document.addEventListener('visibilitychange', watcher);
  return () => document.removeEventListener('visibilitychange', watcher);
};

/**
 * Whether the page can be seen. One that can't lets its streams go: a browser opens no more than six connections to one
 * server, and tabs that lie behind would leave none for the one in front.
 */
export const useVisible = (): boolean =>
  useSyncExternalStore(watch, () => document.visibilityState === 'visible');
