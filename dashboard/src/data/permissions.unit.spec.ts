import { describe, expect, it } from '@jest/globals';
import { ROLES, mayDo as serverLets } from '#access/contract';
import { mayDo } from './permissions.js';

describe('what the dashboard offers to a role', () => {
  it.each(ROLES)('is what the server lets a %s do', (role) => {
    for (const permission of ['submit', 'stop', 'resolve'] as const)
      expect([permission, mayDo(role, permission)]).toEqual([
        permission,
        serverLets(role, permission),
      ]);
  });
});
