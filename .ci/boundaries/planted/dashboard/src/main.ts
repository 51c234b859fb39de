import type { RunView } from '#contracts';

export const shown = (view: RunView) => view;
