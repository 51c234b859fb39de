import { describe, expect, it } from '@jest/globals';
import type { Configuration } from './configurations.js';
import { tracesOf, sizeOf } from './report.js';

const nowMs = (): number => performance.now();

/**
 * Explores a configuration to its end while the specs are collected (the titles say how large it was), and has one test
 * for each thing that must hold in it. A test that fails shows the shortest way to where it fails.
 *
 * @param properties what must not happen, by name.
 * @param ids what the title of a property proves beside, by name.
 */
export const describeExplored = (
  configuration: Configuration,
  properties: Readonly<Record<string, string>>,
  statuses: readonly string[],
  ids: Readonly<Record<string, string>> = {},
): void => {
  describe(configuration.name, () => {
    const found = configuration.explore(nowMs);

    it(`is explored to its end: ${sizeOf(found)}`, () => {
      expect(found.exhausted).toBe(true);
      expect(found.statuses).toStrictEqual(statuses);
    });

    for (const [name, words] of Object.entries(properties))
      it(`never: ${words} (${name}${name in ids ? ` ${ids[name] ?? ''}` : ''})`, () => {
        expect(tracesOf(found, name)).toBe('');
      });
  });
};
