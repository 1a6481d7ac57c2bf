import { isPlainObject } from '@bough/core';
import { readFileSync } from 'node:fs';

/** Next to the bundle in the installed package, or one folder up in the workspace. */
const PLACES = ['./package.json', '../package.json'];

/** The version of the package that is running. */
export function version(): string {
  for (const place of PLACES) {
    const text = readIfThere(new URL(place, import.meta.url));
    const manifest: unknown = text === null ? null : JSON.parse(text);
    if (isPlainObject(manifest) && typeof manifest['version'] === 'string') return manifest['version'];
  }
  throw new Error('The package has no version.');
}

function readIfThere(file: URL): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
