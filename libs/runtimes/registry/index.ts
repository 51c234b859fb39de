import type { RuntimeAdapter } from '#runtimes';
import { cliAdapter } from '../cli/index.js';
import { resumableSampleAdapter } from '../resumable-sample/index.js';

/** Every runtime that this build knows, by the name that configurations use. */
const ADAPTERS: ReadonlyMap<string, RuntimeAdapter> = new Map(
  [cliAdapter as RuntimeAdapter, resumableSampleAdapter as RuntimeAdapter].map((adapter) => [
    adapter.name,
    adapter,
  ]),
);

export const runtimeNames = (): readonly string[] => [...ADAPTERS.keys()];

/** @returns undefined when there is no runtime of this name. */
export const runtimeByName = (name: string): RuntimeAdapter | undefined => ADAPTERS.get(name);
