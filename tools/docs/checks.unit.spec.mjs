import { describe, expect, it } from '@jest/globals';
import {
  adrProblems,
  brokenLinks,
  ownPaths,
  glossaryProblems,
  unknownCommands,
} from './checks.mjs';

/** @param {Record<string, string>} texts */
const texts = (texts) => new Map(Object.entries(texts));

describe('the links of the documents', () => {
  const there = new Set(['docs/glossary.md', 'README.md', 'libs/runs']);
  const check = (/** @type {Record<string, string>} */ pages) =>
    brokenLinks(texts(pages), (path) => there.has(path));

  it('lead to files, folders and headings that are there', () => {
    const readme =
      '[a](docs/glossary.md) [b](libs/runs) [c](#what-it-is-not) [d](https://nats.io)\n## What it is not\n';
    expect(
      check({ 'README.md': readme, 'docs/glossary.md': '[up](../README.md#what-it-is-not)' }),
    ).toEqual([]);
  });

  it('are reported when they lead nowhere', () => {
    expect(
      check({
        'docs/glossary.md': '[a](./gone.md)\n[b](../README.md#gone)',
        'README.md': '# Title',
      }),
    ).toEqual([
      'docs/glossary.md: the link to ./gone.md leads nowhere',
      'docs/glossary.md: the link to ../README.md#gone leads nowhere',
    ]);
  });

  it('are not looked for in code', () => {
    expect(check({ 'README.md': '```ts\nx[0](gone)\n```\n`[a](gone)`' })).toEqual([]);
  });
});

describe('a decision record', () => {
  const record = 'Status: accepted\n## Context\n## Decision\n## Consequences\n';
  const check = (/** @type {Record<string, string>} */ pages) =>
    adrProblems(texts({ 'docs/adr/README.md': '(0001-a.md) (0002-b.md)', ...pages }));

  it('is numbered, whole and in the index', () => {
    expect(check({ 'docs/adr/0001-a.md': record, 'docs/adr/0002-b.md': record })).toEqual([]);
  });

  it('is reported when a number, a part, its status or its entry is missing', () => {
    expect(
      check({ 'docs/adr/0001-a.md': record, 'docs/adr/0003-c.md': '## Context\n## Decision\n' }),
    ).toEqual([
      'docs/adr/0003-c.md: "## Consequences" is missing',
      'docs/adr/0003-c.md: number 2 was expected',
      'docs/adr/0003-c.md: has no "Status: accepted" or "Status: superseded by […]"',
      'docs/adr/0003-c.md: is not in the index',
    ]);
  });
});

describe('what a reader is told', () => {
  it('to run exists', () => {
    const pages = texts({ 'README.md': 'npm run lint, then `npm run bench`' });
    expect(unknownCommands(pages, ['lint', 'bench'])).toEqual([]);
    expect(unknownCommands(pages, ['lint'])).toEqual(['README.md: there is no npm script "bench"']);
  });

  it('is not in a folder of this machine', () => {
    const root = '/srv/checkout';
    expect(ownPaths(texts({ 'a.ts': "'/srv/checkouts'\n'./srv/other'" }), root)).toEqual([]);
    expect(ownPaths(texts({ 'a.ts': '// see\n// /srv/checkout/README.md' }), root)).toEqual([
      'a.ts:2: names a folder of this machine',
    ]);
  });

  it('is found under its letter', () => {
    expect(glossaryProblems('**Claim**: a\n\n**Frame**: b')).toEqual([]);
    expect(glossaryProblems('**Frame**: b\n\n**Claim**: a')).toEqual([
      'docs/glossary.md: "Claim" stands after "Frame"',
    ]);
  });
});
