import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import canonicalize from 'canonicalize';
import { v5 } from 'uuid';
import type { PrincipalId, WorkspaceId } from '#kernel';

/** The namespace of every id that is made of a caller's key. Fixed for ever: ids must be the same after any upgrade. */
const NAMESPACE = '6f6b1a52-0d6e-5b0c-9d53-6f0a3a1f7c11';

/**
 * The id of what a caller's key creates: the same key of the same principal, for the same action, in the same workspace
 * is the same thing, for as long as the stream lives.
 *
 * @param action what is asked for, such as `submit`: one key may be used once per action.
 */
export const idOf = (
  workspace: WorkspaceId,
  principal: PrincipalId,
  action: string,
  key: string,
): string => v5(JSON.stringify([workspace, principal, action, key]), NAMESPACE);

/** Stands before every fingerprint: another way to make them must never look like another request. */
const FINGERPRINT_VERSION = 'v1';

/**
 * Tells a repeat of a request from another request under the same key, without storing what was asked.
 *
 * @param workspaceKey see {@link WorkspaceKeys}: without it nobody can test guesses of a prompt against the stream.
 * @param request as it was sent, before any default was filled in. Plain JSON.
 */
export const fingerprint = (workspaceKey: Uint8Array, request: unknown): string => {
  const canonical = canonicalize(request);
  if (canonical === undefined) throw new TypeError('a request that is no JSON has no fingerprint');
  const mac = createHmac('sha256', workspaceKey).update(canonical, 'utf8').digest('hex');
  return `${FINGERPRINT_VERSION}:${mac}`;
};

/** The least that a secret must have, in bytes: the strength of what is derived from it. */
export const SECRET_BYTES_MIN = 32;

/**
 * Reads the installation's secret: hexadecimal digits, or any other text as it is.
 *
 * @throws Error the file can't be read.
 */
export const readSecret = async (path: string): Promise<Uint8Array> => {
  const text = (await readFile(path, 'utf8')).trim();
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'utf8');
};

/** Keys of workspaces, derived from one secret of the installation. */
export class WorkspaceKeys {
  private readonly keys = new Map<string, Uint8Array>();

  /** @throws RangeError the secret has fewer than {@link SECRET_BYTES_MIN} bytes. */
  constructor(private readonly secret: Uint8Array) {
    if (secret.length < SECRET_BYTES_MIN)
      throw new RangeError(`a secret needs at least ${String(SECRET_BYTES_MIN)} bytes`);
  }

  /** @param purpose keys of different purposes tell nothing of each other. */
  keyOf(workspace: WorkspaceId, purpose: 'fingerprint' | 'token' = 'fingerprint'): Uint8Array {
    const info = `holdfast/${purpose}/${workspace}`;
    const present = this.keys.get(info);
    if (present !== undefined) return present;
    const key = new Uint8Array(hkdfSync('sha256', this.secret, 'holdfast', info, 32));
    this.keys.set(info, key);
    return key;
  }
}

/** Of a bearer token: what the stream holds instead of it. SHA-256, hex. */
export const tokenHash = (token: string): string =>
  createHash('sha256').update(token, 'utf8').digest('hex');

/** Compares two texts in a time that tells nothing of where they differ. */
export const equalInConstantTime = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text, 'utf8').digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
};

export const WORKSPACE_KEYS = Symbol('WorkspaceKeys');

/** Used where a token is made of a caller's key: whoever repeats the request is told the same token again. */
export const tokenFor = (keys: WorkspaceKeys, workspace: WorkspaceId, id: string): string =>
  `hf_${createHmac('sha256', keys.keyOf(workspace, 'token')).update(id, 'utf8').digest('base64url')}`;
