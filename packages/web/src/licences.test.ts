import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');

it('WEB-791: beside the built page lie the licences of all that was bundled into it', async () => {
  const licences = await read('../dist/THIRD-PARTY.txt');
  const { dependencies } = JSON.parse(await read('../package.json')) as { readonly dependencies: object };
  const named = new Set([...licences.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)$/gm)].map(([, name]) => name));
  // `radix-ui` holds no code: it only names the packages that do.
  const others = Object.keys(dependencies).filter((name) => !name.startsWith('@bough/') && name !== 'radix-ui');
  expect(others.filter((name) => !named.has(name))).toEqual([]);
  // What only a thread uses, and what only a dependency uses.
  for (const name of ['katex', 'micromark', 'd3-selection']) expect(named).toContain(name);
  expect(licences).toContain('Copyright (c) Meta Platforms, Inc. and affiliates.');
});
