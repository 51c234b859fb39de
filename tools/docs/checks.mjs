import { posix } from 'node:path';

/** @typedef {ReadonlyMap<string, string>} Texts contents by path from the root of the checkout. */

/** @param {string} markdown */
const withoutCode = (markdown) =>
  markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** How a heading is linked to, as common renderers do it. @param {string} heading */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** @param {string} markdown */
const anchorsOf = (markdown) =>
  [...markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(
    ([, heading]) => anchorOf(heading ?? ''),
  );

/**
 * Links within the repository that lead nowhere.
 *
 * @param {Texts} pages the Markdown files.
 * @param {(path: string) => boolean} exists of any file or folder in the checkout.
 * @returns {readonly string[]}
 */
export const brokenLinks = (pages, exists) =>
  [...pages].flatMap(([page, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path));
        if (!exists(file)) return true;
        const linked = pages.get(file);
        return anchor !== undefined && linked !== undefined && !anchorsOf(linked).includes(anchor);
      })
      .map((target) => `${page}: the link to ${target} leads nowhere`),
  );

const ADR = /^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/;
const ADR_PARTS = ['## Context', '## Decision', '## Consequences'];

/**
 * What is wrong with the architecture decision records: gaps in their numbers, parts left out, not in the index.
 *
 * @param {Texts} pages
 * @returns {readonly string[]}
 */
export const adrProblems = (pages) => {
  const records = [...pages].filter(
    ([page]) => ADR.test(page) && !page.endsWith('0000-template.md'),
  );
  const index = pages.get('docs/adr/README.md') ?? '';
  return records
    .sort(([left], [right]) => left.localeCompare(right))
    .flatMap(([page, text], position) => {
      const number = Number(ADR.exec(page)?.[1]);
      const problems = ADR_PARTS.filter((part) => !text.includes(`${part}\n`)).map(
        (part) => `${page}: "${part}" is missing`,
      );
      if (number !== position + 1) problems.push(`${page}: number ${position + 1} was expected`);
      if (!/^Status: (accepted|superseded by \[)/m.test(text))
        problems.push(`${page}: has no "Status: accepted" or "Status: superseded by […]"`);
      if (!index.includes(`(${posix.basename(page)})`))
        problems.push(`${page}: is not in the index`);
      return problems;
    });
};

/**
 * npm scripts that a page tells the reader to run and that do not exist.
 *
 * @param {Texts} pages
 * @param {readonly string[]} scripts of package.json
 * @returns {readonly string[]}
 */
export const unknownCommands = (pages, scripts) =>
  [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z][a-z:-]*)/g)]
      .map(([, script]) => script ?? '')
      .filter((script) => !scripts.includes(script))
      .map((script) => `${page}: there is no npm script "${script}"`),
  );

/**
 * Places where the absolute path of this checkout got into a text: a reader has another one.
 *
 * @param {Texts} files
 * @param {string} root the checkout
 * @returns {readonly string[]}
 */
export const ownPaths = (files, root) =>
  [...files].flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        line.includes(`${root}/`) ? [`${file}:${index + 1}: names a folder of this machine`] : [],
      ),
  );

/**
 * Terms of the glossary that are not in alphabetical order, which is how a reader looks for them.
 *
 * @param {string} glossary
 * @returns {readonly string[]}
 */
export const glossaryProblems = (glossary) => {
  const terms = [...glossary.matchAll(/^\*\*(.+?)\*\*/gm)].map(([, term]) => term ?? '');
  return terms.flatMap((term, index) => {
    const before = terms[index - 1];
    return before !== undefined && before.localeCompare(term, 'en') >= 0
      ? [`docs/glossary.md: "${term}" stands after "${before}"`]
      : [];
  });
};
