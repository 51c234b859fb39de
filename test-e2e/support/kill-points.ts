import { isPublishAck, waitUntil, type LossyProxy } from '#testing';
import type { BehindProxy } from './behind-proxy.js';

/** What a strict call stores, one after the other, on its uncontended way. */
export const EFFECTS = { claim: 1, reservation: 2, dispatch: 3, frame: 4 } as const;

/** A commit or a frame was stored. Leases are renewed all the time, and are none. */
const isStored = (frame: Parameters<typeof isPublishAck>[0]): boolean =>
  isPublishAck(frame) && /"stream":"HF_(EVENTS|FRAMES)"/.test(frame.payload);

/** Of what a node hears: the orders to start an agent. */
export const losesOrders = ({ payload }: { readonly payload: string }): boolean =>
  payload.includes('"harness":"ledger"');

/**
 * From now on, the process behind the proxy hears nothing of its n-th effect, counted from 1, and of every further one: it
 * waits for a word about it, and does nothing else.
 *
 * @returns waits until that effect is stored.
 */
export const holdAtEffect = (proxy: LossyProxy, effect: number): (() => Promise<void>) => {
  const before = proxy.lost;
  let seen = 0;
  proxy.lose((frame) => isStored(frame) && (seen += 1) >= effect);
  return async () => {
    await waitUntil(`effect ${String(effect)} to be stored`, () => proxy.lost > before);
  };
};

/**
 * Kills the process at that point of what `act` has it do. It stays down.
 *
 * @param act what it does is over when its promise settles: that point is not passed then.
 */
export const killAtEffect = async (
  service: BehindProxy,
  effect: number,
  act: () => Promise<unknown>,
): Promise<void> => {
  const stored = holdAtEffect(service.proxy, effect);
  const over = act().then((what) => {
    throw new Error(`effect ${String(effect)} did not come: ${JSON.stringify(what)}`);
  });
  await Promise.race([stored(), over]);
  if (!(await service.kill())) throw new Error('it had ended before it was killed');
  service.proxy.deliverAll();
};
