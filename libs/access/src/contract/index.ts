import { RuleViolation, type PrincipalId, type WorkspaceId } from '#kernel';

/** What a caller may do: `operator` everything, `agent` submit, stop and read, `viewer` read. */
export const ROLES = ['operator', 'agent', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Who is asking, as proven by a bearer token. The principal outlives its tokens. */
export interface Caller {
  readonly principal: PrincipalId;
  readonly role: Role;
  readonly workspace: WorkspaceId;
}

/** What a caller asks leave for. */
export type Permission = 'read' | 'submit' | 'stop' | 'resolve' | 'administer';

const GRANTS: Readonly<Record<Role, readonly Permission[]>> = {
  operator: ['read', 'submit', 'stop', 'resolve', 'administer'],
  agent: ['read', 'submit', 'stop'],
  viewer: ['read'],
};
export const mayDo = (role: Role, permission: Permission): boolean =>
  GRANTS[role].includes(permission);

/** @throws RuleViolation `forbidden` when the caller's role does not include it. */
export const requirePermission = (caller: Caller, permission: Permission): void => {
  if (!mayDo(caller.role, permission))
    throw new RuleViolation(
      'forbidden',
      { role: caller.role, permission },
      `the role ${caller.role} may not ${permission}`,
    );
};

/** Tells who is behind a bearer token. */
export interface Authenticator {
  /**
   * @param authorization the header as it was sent: `Bearer <token>`.
   * @throws RuleViolation `unauthenticated`: no token, or none that is valid now.
   */
  authenticate(authorization: string | undefined): Promise<Caller>;
}
export const AUTHENTICATOR = Symbol('Authenticator');

/**
 * Who asks, if they may.
 *
 * @param request holds the header `authorization`.
 * @throws RuleViolation `unauthenticated` or `forbidden`.
 */
export const authorized = async (
  authenticator: Authenticator,
  request: { get(header: string): string | undefined },
  permission: Permission,
): Promise<Caller> => {
  const caller = await authenticator.authenticate(request.get('authorization'));
  requirePermission(caller, permission);
  return caller;
};
