import { RequestClient, type Answer, type NatsLink } from '#nats';
import type { Upstream } from './upstream.js';

/** How long a broken connection is waited for before a request counts as not sent, ms: a restart of the broker. */
const CONNECTED_WITHIN_MS = 1_000;

/**
 * Sends only while there is a connection: the client library would keep a request and send it when the broker is back,
 * long after its caller was told that nothing is known.
 */
export class ConnectedUpstream implements Upstream {
  private link: NatsLink | undefined;

  constructor(linking: Promise<NatsLink>) {
    void linking.then((link) => (this.link = link));
  }

  get isConnected(): boolean {
    return this.link?.isConnected === true;
  }

  async request<Value = unknown>(
    subject: string,
    body: unknown,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ): Promise<Answer<Value>> {
    const { link } = this;
    const timeoutMs = Math.min(CONNECTED_WITHIN_MS, options.timeoutMs);
    if (link === undefined || !(await link.whenConnected(timeoutMs)))
      return { kind: 'not-delivered' };
    return new RequestClient(link).request<Value>(subject, body, options);
  }

  /** A link that was never made is not waited for. */
  async close(): Promise<void> {
    await this.link?.drain();
  }
}
