import { writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { pageOf } from './page.mjs';

const DOCS = new URL('../../docs/', import.meta.url);

/** Writes the page that readers see, and the numbers it was made of. @param {import('./page.mjs').Results} results */
export const publish = async (results) => {
  const json = `${JSON.stringify(results, undefined, 2)}\n`;
  await writeFile(new URL('performance.json', DOCS), await format(json, { parser: 'json' }));
  await writeFile(new URL('performance.md', DOCS), await formattedPage(results));
};

/** @param {import('./page.mjs').Results} results */
export const formattedPage = (results) =>
  format(pageOf(results), { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' });
