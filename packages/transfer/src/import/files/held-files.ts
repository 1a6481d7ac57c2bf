import { isPlainObject } from '@bough/core';
import { openInside } from '@bough/store';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ZipEntry } from '../../zip/read.ts';
import { unzipEntry } from '../../zip/read.ts';
import type { ForeignFile } from './foreign-file.ts';

/** A file that came with an export. */
export interface HeldFile {
  /** Inside the export. */
  readonly path: string;
  readonly size: number;
  /** Writes its bytes to a new file. */
  readonly copyTo: (path: string) => Promise<void>;
}

/** The files beside the conversations of an export. */
export interface HeldFiles {
  /** Inside the export. */
  readonly paths?: readonly string[];
  readonly find: (file: ForeignFile) => HeldFile | undefined;
  /** How the person called a file, as far as the export says so. */
  readonly nameOf: (file: ForeignFile, held: HeldFile) => string;
}

/** ChatGPT's list of the real names of files that are packed as `file-….dat`. */
const NAMES = 'conversation_asset_file_names.json';
const MAX_NAMES_BYTES = 64 * 1024 * 1024;
/** Deeper than any export; a directory that somebody named by mistake is not searched as a whole. */
const DEPTH = 4;
const MOST_FILES = 200_000;

export async function heldInZip(file: FileHandle, entries: readonly ZipEntry[], place: string): Promise<HeldFiles> {
  return heldFiles(
    entries
      .filter(({ name }) => name.startsWith(place) && !name.endsWith('/'))
      .map((entry) => ({
        path: entry.name.slice(place.length),
        size: entry.size,
        copyTo: (path) => unzipEntry(file, entry, path),
      })),
  );
}

/** Links are neither followed nor read: they were named by nobody. */
export async function heldInDirectory(directory: string): Promise<HeldFiles> {
  const found: HeldFile[] = [];
  const search = async (under: string, depth: number): Promise<void> => {
    const entries = await readdir(join(directory, under), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES) return;
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.isDirectory() && depth < DEPTH) await search(path, depth + 1);
      if (!entry.isFile()) continue;
      const { size } = await lstat(join(directory, path));
      found.push({ path, size, copyTo: (to) => copyInside(directory, path, to) });
    }
  };
  await search('', 1);
  return heldFiles(found);
}

async function copyInside(directory: string, path: string, to: string): Promise<void> {
  const handle = await openInside(directory, path);
  if (handle === null) throw new Error(`${path} is gone.`);
  try {
    await writeFile(to, handle.createReadStream({ autoClose: false }), { flag: 'wx', mode: 0o600 });
  } finally {
    await handle.close();
  }
}

async function heldFiles(files: readonly HeldFile[]): Promise<HeldFiles> {
  const names = await realNames(files.find(({ path }) => path === NAMES));
  const byId = new Map<string, HeldFile>();
  for (const file of files) {
    const own = basename(file.path);
    for (const id of [own, idOf(own)]) if (id !== null && !byId.has(id)) byId.set(id, file);
  }
  return {
    paths: files.map(({ path }) => path),
    find: ({ ids }) => ids.map((id) => byId.get(id)).find((file) => file !== undefined),
    nameOf: (file, held) => {
      const own = basename(held.path);
      const listed = names.get(own);
      if (file.name !== null && file.name !== '') return file.name;
      // What generated pictures are called is no more than a number; their extension counts all the same.
      return listed === undefined ? own.replace(/^file[-_][A-Za-z0-9]+[-.](?:dat$)?/, '') || 'file' : basename(listed);
    },
  };
}

/** `file-AbC123-holiday.png`, `file_0012-sanitized.webp` and `file-AbC123.dat` begin with the id of the file. */
function idOf(name: string): string | null {
  return /^(file[-_][A-Za-z0-9]+)(?:[-.]|$)/.exec(name)?.[1] ?? null;
}

/** A list that cannot be read costs names, and nothing else. */
async function realNames(list: HeldFile | undefined): Promise<ReadonlyMap<string, string>> {
  if (list === undefined || list.size > MAX_NAMES_BYTES) return new Map();
  const directory = await mkdtemp(join(tmpdir(), 'bough-names-'));
  try {
    const path = join(directory, 'names.json');
    await list.copyTo(path);
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isPlainObject(value)) return new Map();
    return new Map(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch (error) {
    if (error instanceof Error) return new Map();
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
