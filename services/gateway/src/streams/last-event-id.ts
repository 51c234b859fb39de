import type { FastifyRequest } from 'fastify';
import { Refusal } from '../http/problem.error.js';

/** Positions are whole numbers, as the events of our streams are named. */
const POSITION = /^\d{1,15}$/;

/**
 * Where a client that connects again was.
 *
 * @throws Refusal when the header holds no id of ours.
 */
export const lastSeen = (request: FastifyRequest): number | undefined => {
  const given = request.headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && POSITION.test(given)) return Number(given);
  throw new Refusal('invalid_request', 'Last-Event-ID must be the id of an event of this stream', {
    errors: [{ path: 'Last-Event-ID', problem: 'must be the id of an event of this stream' }],
  });
};

export const wantsEvents = (request: FastifyRequest): boolean =>
  /(^|[\s,])text\/event-stream\b/i.test(request.headers.accept ?? '');
