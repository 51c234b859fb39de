import '../../nats/src/permissions.js';
