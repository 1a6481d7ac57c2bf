import { isPlainObject } from '@bough/core';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The libraries that are published; the program is a package of its own (scripts/pack.mjs). */
export const LIBRARIES = ['core', 'providers', 'simulator', 'api', 'ai-sdk'] as const;
export type Library = (typeof LIBRARIES)[number];

export interface Packed {
  readonly library: Library;
  readonly tarball: string;
  /** The paths in the tarball, without its leading `package/`. */
  readonly files: readonly string[];
}

/** What `npm publish` would upload. */
export async function packLibraries(into: string): Promise<readonly Packed[]> {
  const words = LIBRARIES.flatMap((library) => ['-w', `@bough/${library}`]);
  const npm = ['pack', '--json', '--ignore-scripts', '--pack-destination', into, ...words];
  const { stdout } = await run('npm', npm, { cwd: ROOT, shell: process.platform === 'win32', maxBuffer: 1e8 });
  const listed: unknown = JSON.parse(stdout);
  // A list up to npm 11, by name from npm 12 on.
  const entries = isPlainObject(listed) ? Object.values(listed) : Array.isArray(listed) ? (listed as unknown[]) : [];
  return entries.filter(isPlainObject).map((entry) => {
    const library = LIBRARIES.find((name) => `@bough/${name}` === entry['name']);
    if (library === undefined) throw new Error(`npm packed ${String(entry['name'])}.`);
    const files = Array.isArray(entry['files']) ? (entry['files'] as unknown[]).filter(isPlainObject) : [];
    return { library, tarball: join(into, String(entry['filename'])), files: files.map(({ path }) => String(path)) };
  });
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * An empty project with the tarballs in it, as npm lays them, and beside them only what they declare, taken from this
 * repository: so nothing is fetched, and an import that is not declared is not found. `others` are what the project
 * itself would depend on, by the folders below node_modules that hold them.
 */
export async function installInto(
  project: string,
  packed: readonly Packed[],
  others: Readonly<Record<string, string>>,
): Promise<void> {
  const modules = join(project, 'node_modules');
  const needed = new Map(Object.entries(others));
  for (const { library, tarball } of packed) {
    const folder = join(modules, '@bough', library);
    await mkdir(folder, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
    const { dependencies = {}, peerDependencies = {} } = await readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!name.startsWith('@bough/') && !needed.has(name)) needed.set(name, name);
  }
  for (const [name, at] of needed) {
    const place = join(modules, name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(await folderOf(at, packed), place, 'junction');
  }
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
}

/** npm may have put a dependency beside the package that needs it. */
async function folderOf(name: string, packed: readonly Packed[]): Promise<string> {
  const places = [ROOT, ...packed.map(({ library }) => join(ROOT, 'packages', library))];
  const found = places.map((place) => join(place, 'node_modules', name)).find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${name} is not installed in this repository.`);
  return found;
}

/** The example of a package's README: its name, and its text. */
export async function readmeExample(folder: string): Promise<{ readonly file: string; readonly text: string }> {
  const found = /```ts file=(\S+)\n([\s\S]*?)\n```/.exec(await readFile(join(folder, 'README.md'), 'utf8'));
  if (found === null) throw new Error(`The README in ${folder} has no example.`);
  return { file: found[1] ?? '', text: found[2] ?? '' };
}

export async function temporaryFolder(): Promise<{ readonly path: string; readonly dispose: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'bough-published-'));
  return { path, dispose: () => rm(path, { recursive: true, force: true }) };
}
