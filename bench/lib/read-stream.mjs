/**
 * Every commit after one revision, up to another one.
 *
 * @param {import('#nats').JetStreamEventFeed} feed
 * @param {number} after
 * @param {number} end
 */
export const readStream = async (feed, after, end) => {
  const stop = new AbortController();
  const commits = [];
  for await (const batch of feed.follow({
    after,
    batchMax: 500,
    lingerMs: 1,
    signal: stop.signal,
  })) {
    commits.push(...batch);
    if ((batch.at(-1)?.revision ?? 0) >= end) break;
  }
  stop.abort();
  return commits.filter(({ revision }) => revision <= end);
};
