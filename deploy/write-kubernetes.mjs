/** Writes the files of `deploy/kubernetes/` from the tables of the code. Needs a build: `npm run build`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubernetesFiles } from '#local-stack';
import { stringify } from 'yaml';

const here = import.meta.dirname;
const node = await readFile(join(here, 'node.json'), 'utf8');
for (const [name, objects] of Object.entries(kubernetesFiles(node))) {
  const documents = objects.map((object) =>
    stringify(object, { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false }),
  );
  await writeFile(
    join(here, 'kubernetes', name),
    `# Written by: node deploy/write-kubernetes.mjs. A test compares it with the code's own tables.\n${documents.join('---\n')}`,
  );
}
