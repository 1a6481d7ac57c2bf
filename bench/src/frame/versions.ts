import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The versions of everything that took part: a figure without them cannot be reproduced. */
export function versions(packages: readonly string[]): Readonly<Record<string, string>> {
  return { node: process.versions.node, ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])) };
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** Walks up from the entry file: most packages do not export their manifest. */
function versionOf(name: string): string {
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name && manifest.version !== undefined) return manifest.version;
  }
  throw new Error(`The version of ${name} could not be found. Run "npm ci" first.`);
}

function readManifest(path: string): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Not every folder above an entry file has a manifest.
    return undefined;
  }
}
