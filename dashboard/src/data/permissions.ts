import type { CallerView } from '../../../libs/contracts/src/views.js';

export type Permission = 'submit' | 'stop' | 'resolve';

const WHO_MAY: Readonly<Record<Permission, readonly CallerView['role'][]>> = {
  submit: ['operator', 'agent'],
  stop: ['operator', 'agent'],
  resolve: ['operator'],
};

/** Whether the server would let a role do it: what it would refuse is not offered. The server decides all the same. */
export const mayDo = (role: CallerView['role'], permission: Permission): boolean =>
  WHO_MAY[permission].includes(role);
