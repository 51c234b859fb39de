import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { headlinePage } from './headline.page.js';
import { nameOf } from './pairs.js';
import type { SoakReport } from './report.js';
import { soakPage } from './soak.page.js';

/** Writes the report as JSON and as pages, in the format of the checkout. @returns the files. */
export const writeReport = async (report: SoakReport, out: string): Promise<readonly string[]> => {
  await mkdir(out, { recursive: true });
  const files = {
    'soak.json': JSON.stringify(inShort(report)),
    'soak.md': soakPage(report),
    'headline-figures.md': headlinePage(report),
  };
  const written: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(out, name);
    const options = (await resolveConfig(path)) ?? {};
    await writeFile(path, await format(text, { ...options, filepath: path }));
    written.push(path);
  }
  return written;
};

/** The hits of a round in one line: thousands of lines would say no more. */
const inShort = (report: SoakReport): unknown => ({
  ...report,
  rounds: report.rounds.map((round) => ({ ...round, hits: round.hits.map(nameOf).join(', ') })),
});
