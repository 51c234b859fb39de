import '#nats';

export const waitUntil = () => true;
