import { createHash } from 'node:crypto';

/**
 * One job: the same for every peer, about as large as a submission of Holdfast.
 *
 * @typedef {object} Job
 * @property {string} batch the round that it belongs to.
 * @property {number} n counts from 0 within its batch.
 * @property {string} prompt
 */

/** Characters of a prompt: with its metadata a message of about 400 bytes. */
const PROMPT_LENGTH = 300;

/** @param {string} batch @param {number} n @returns {Job} */
export const jobOf = (batch, n) => ({
  batch,
  n,
  prompt: `${batch} ${n} `.padEnd(PROMPT_LENGTH, 'x'),
});

/** What the no-op answers: it shows that this prompt arrived, whole. @param {Job} job */
export const outcomeOf = ({ n, prompt }) =>
  `${n} ${createHash('sha1').update(prompt).digest('hex')}`;

/** One number for all outcomes of a batch, whatever their order. @param {readonly string[]} outcomes */
export const checksumOf = (outcomes) =>
  createHash('sha256')
    .update([...outcomes].sort().join('\n'))
    .digest('hex');
