import { instant } from '#kernel';
import type { RunView } from '#contracts';
import type { SessionId } from '#sessions/contract';
import type { RunId } from '../contract/index.js';

export const decide = (view: RunView, id: RunId, session: SessionId) => [view, id, session, instant(0)];
