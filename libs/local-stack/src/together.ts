/**
 * Starts several things at a time. When one fails the others are given up, and nothing is under way
 * any more when this settles: what is still being started could not be stopped.
 *
 * @param signal gives up all of them.
 * @throws what the first failure threw.
 */
export const startTogether = async (
  starts: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal | undefined,
): Promise<void> => {
  const giveUp = new AbortController();
  const either = AbortSignal.any([giveUp.signal, ...(signal === undefined ? [] : [signal])]);
  const failures: unknown[] = [];
  await Promise.all(
    starts.map(async (start) => {
      try {
        await start(either);
      } catch (cause) {
        failures.push(cause);
        giveUp.abort(cause);
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
};
