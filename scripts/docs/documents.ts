import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fence } from './fences.ts';
import { fencesOf } from './fences.ts';
import { ROOT } from './run-document.ts';

/** Every document for readers, by its path from the root. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort((a, b) => a.localeCompare(b)),
];

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function documentFences(path: string): readonly Fence[] {
  return fencesOf(path, readDocument(path));
}
