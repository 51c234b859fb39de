import { permissions } from '../../nats/src/permissions.js';

export const written = permissions;
