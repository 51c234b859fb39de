import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { RequestClient } from '#nats';
import { AGENT } from './bench-node.mjs';

/** What is submitted: with the rest of its event about 400 bytes more. */
export const PROMPT = 'x'.repeat(200);
const TIMEOUT_MS = 30_000;

/**
 * Submits runs of the no-op agent.
 *
 * @typedef {(session?: string) => Promise<string>} Submit resolves with the run's id, when it is accepted.
 */

/** Over NATS request-reply, as services do. @param {import('#nats').NatsLink} link @param {string} token @returns {Submit} */
export const overNats = (link, token) => {
  const client = new RequestClient(link);
  return async (session) => {
    const answer = await client.request('hf.cmd.runs.submit', bodyOf(session), {
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.kind !== 'answer') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    return /** @type {{ value: { runId: string } }} */ (answer.value).value.runId;
  };
};

/**
 * Over HTTP, as users do, on connections that stay open.
 *
 * @param {string} url @param {string} token @param {number} connections
 * @returns {{ submit: Submit, close: () => void }}
 */
export const overHttp = (url, token, connections) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** @type {Submit} */
  const submit = (session) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(bodyOf(session));
      const asked = request(`${url}/v1/submissions`, {
        method: 'POST',
        agent,
        timeout: TIMEOUT_MS,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'idempotency-key': randomUUID(),
        },
      });
      asked.once('error', reject);
      asked.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.once('end', () => {
          if (response.statusCode === 202) resolve(JSON.parse(text).runId);
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      });
      asked.end(body);
    });
  return { submit, close: () => agent.destroy() };
};

/** @param {string | undefined} session */
const bodyOf = (session) => ({
  agent: AGENT,
  prompt: PROMPT,
  ...(session === undefined ? {} : { session }),
});
