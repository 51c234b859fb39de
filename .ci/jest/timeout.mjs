import { jest } from '@jest/globals';

// jest reads `testTimeout` for all projects together only, so each project hands its own over as a global.
jest.setTimeout(
  /** @type {{ TEST_TIMEOUT_MS: number }} */ (/** @type {any} */ (globalThis)).TEST_TIMEOUT_MS,
);
