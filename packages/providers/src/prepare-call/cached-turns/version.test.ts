import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { CACHE_VERSION } from './key.ts';

const PACKAGES = join(import.meta.dirname, '../../../..');

/** Everything that decides what a turn becomes in a request, and whether it obeys the rules. */
const SOURCES = [
  ...['blocks', 'coalesce', 'context', 'derive', 'equality', 'hash', 'messages', 'tokens', 'tree'].map(
    (name) => `core/src/${name}`,
  ),
  ...['files', 'prepare-call', 'protocols', 'render', 'rulebook'].map((name) => `providers/src/${name}`),
];

it('TC-3: the version of what is cached is raised whenever anything changes that it was made by', () => {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(sourcesIn).sort()) hash.update(file).update(readFileSync(join(PACKAGES, file)));
  const version = hash.digest('hex').slice(0, 12);
  const advice = 'Set CACHE_VERSION in key.ts to the value that was expected: what is cached is then made anew.';
  expect(CACHE_VERSION, advice).toBe(version);
});

function sourcesIn(directory: string): readonly string[] {
  const files = readdirSync(join(PACKAGES, directory), { recursive: true, withFileTypes: true });
  return files
    .filter(({ name }) => name.endsWith('.ts') && !/(?:^key|\.test|^cases)\.ts$/.test(name))
    .map(({ parentPath, name }) => relative(PACKAGES, join(parentPath, name)));
}
