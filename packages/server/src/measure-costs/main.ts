import { readFile, writeFile } from 'node:fs/promises';
import { measureCosts, tableOf } from './index.ts';

// Writes the figures of docs/costs.md anew.
const TOKENS = 200_000;
const DOCUMENT = new URL('../../../../docs/costs.md', import.meta.url);
const FIGURES = /(<!-- figures: written by npm run costs -->\n)[\s\S]*?(\n<!-- end of figures -->)/;

const table = tableOf(await measureCosts(TOKENS, (line) => console.error(line)));
console.log(table);
const text = await readFile(DOCUMENT, 'utf8');
if (!FIGURES.test(text)) throw new Error('docs/costs.md has no place for the figures.');
await writeFile(
  DOCUMENT,
  text.replace(FIGURES, (_, start: string, end: string) => `${start}${table}${end}`),
);
