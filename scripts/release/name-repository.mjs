// Writes the address of the repository into the manifests that are published; npm accepts a provenance only if both
// agree. Not in the repository itself: whoever forks it publishes under another address.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LIBRARIES } from './pack.mjs';

const root = resolve(import.meta.dirname, '../..');
const [address] = process.argv.slice(2);
if (!/^https:\/\/\S+$/.test(address ?? '')) {
  console.error('usage: name-repository.mjs https://…');
  process.exit(2);
}
for (const name of [...LIBRARIES, 'cli']) {
  const path = join(root, 'packages', name, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.repository = { type: 'git', url: `git+${address}.git`, directory: `packages/${name}` };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}
