import pg from 'pg';

/**
 * A client class whose every instance hears its own errors, from before it connects until after it ended.
 *
 * An idle or checked-out client whose server dies emits `error`; without a listener that ends the process. A pool
 * listens only while a client is idle, so the listener belongs to the client.
 */
export const guardedClient = (onError: (problem: unknown) => void): typeof pg.Client =>
  class GuardedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.on('error', onError);
    }
  };
