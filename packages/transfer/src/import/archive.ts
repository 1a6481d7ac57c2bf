import { BoughError } from '@bough/core';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { FILES, MANIFEST } from '../bundle/layout.ts';
import { BEGINS, familiar, layoutOf } from './layouts.ts';
import { WHAT_HELPS } from './seen.ts';
import type { HeldFiles } from './files/held-files.ts';
import { heldInZip } from './files/held-files.ts';
import type { ZipEntry } from '../zip/read.ts';
import { isZip, unzipEntry, zipEntries } from '../zip/read.ts';

const RAW = /^raw\/[0-9a-f]{2}\/[0-9a-f]{64}\.json$/;
const ATTACHED = /^files\/[0-9a-f]{2}\/[0-9a-f]{64}$/;
const BUNDLE_FILES: ReadonlySet<string> = new Set([MANIFEST, ...Object.values(FILES)]);

export interface Unpacking {
  /** Where to unpack; the system's directory for temporary files where none is named. */
  readonly temporaryDir?: string | undefined;
  /** What the files may have together once they are unpacked. */
  readonly maxUnpackedBytes?: number | undefined;
  /** Ends the unpacking. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets `work` read what is in a ZIP file as a directory, which is removed afterwards; anything else is read where it
 * is. Only the files that an import reads are unpacked, and under names of our own: no entry can leave the directory.
 */
export async function withUnpacked<Result>(
  path: string,
  { temporaryDir = tmpdir(), maxUnpackedBytes = Number.MAX_SAFE_INTEGER, signal }: Unpacking,
  work: (path: string, held: HeldFiles | null) => Promise<Result>,
): Promise<Result> {
  // Only a plain file is opened: opening a pipe would wait for whoever writes to it. What cannot be opened is reported
  // by the reader of files and directories.
  const isFile = (await stat(path).catch(() => null))?.isFile() === true;
  if (!isFile || !(await isZip(path).catch(() => false))) return work(path, null);
  const directory = await mkdtemp(join(temporaryDir, 'bough-unpacked-'));
  const file = await open(path, 'r');
  try {
    const entries = await zipEntries(file);
    await unpack(file, entries, directory, maxUnpackedBytes, signal);
    return await work(directory, await heldInZip(file, entries, placeOf(entries).place));
  } finally {
    await file.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function unpack(
  file: FileHandle,
  entries: readonly ZipEntry[],
  directory: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = wantedOf(entries);
  if (wanted.length === 0) throw new BoughError('unknown_source', refusalOf(entries));
  const size = wanted.reduce((sum, [, entry]) => sum + entry.size, 0);
  if (size > maxBytes)
    throw new BoughError('too_large', `Unpacked, this file has ${size} bytes, and ${maxBytes} are allowed.`);
  for (const [name, entry] of wanted) {
    const target = join(directory, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await unzipEntry(file, entry, target, signal);
  }
}

/** Which entries are read, and the names that they get: of a bundle, or of another program's export. */
function wantedOf(entries: readonly ZipEntry[]): readonly (readonly [name: string, entry: ZipEntry])[] {
  const { place, isBundle } = placeOf(entries);
  const found = new Map<string, ZipEntry>();
  for (const entry of entries) {
    const name = entry.name.slice(place.length);
    if (entry.name.startsWith(place) && !found.has(name)) found.set(name, entry);
  }
  if (isBundle) return [...found].filter(([name]) => BUNDLE_FILES.has(name) || RAW.test(name) || ATTACHED.test(name));
  const { files, isKnown } = layoutOf([...found.keys()]);
  if (!isKnown && familiar([...found.keys()]) !== null) return [];
  return files.flatMap((name, index) => {
    const entry = found.get(name);
    // A name that is only likely is somebody's: it gets a directory of its own, and keeps what is harmless of it.
    const own = isKnown ? name : `${index}/${basename(name).replaceAll(/[^\p{L}\p{N} ._@-]/gu, '_')}`;
    return entry === undefined ? [] : [[own, entry] as const];
  });
}

/** What was seen, and what would help. */
function refusalOf(entries: readonly ZipEntry[]): string {
  const { place } = placeOf(entries);
  const names = entries.map(({ name }) => name.slice(place.length)).filter((name) => name !== '');
  const told = familiar(names);
  if (told !== null) return told;
  const seen = names.length === 0 ? 'nothing' : `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
  return `This ZIP file holds no conversations and no bundle, but ${seen}. ${WHAT_HELPS}`;
}

/** Where in the archive a bundle or an export begins. */
function placeOf(entries: readonly ZipEntry[]): { readonly place: string; readonly isBundle: boolean } {
  const bundle = shallowest(entries.filter(({ name }) => basename(name) === MANIFEST));
  if (bundle !== null) return { place: bundle, isBundle: true };
  for (const begins of BEGINS) {
    const place = shallowest(entries.filter(({ name }) => begins.test(basename(name))));
    // The database lies one level below where a backup begins, with the files beside it.
    if (place !== null) return { place: place.replace(/Data\/$/, ''), isBundle: false };
  }
  return { place: topOf(entries), isBundle: false };
}

/** The directory that holds everything, with its slash; nothing where there is none. */
function topOf(entries: readonly ZipEntry[]): string {
  const top = /^[^/]+\//.exec(entries[0]?.name ?? '')?.[0] ?? '';
  return entries.every(({ name }) => name.startsWith(top)) ? top : '';
}

/** The directory of the first of them that is nearest to the top, with its slash; null where there is none. */
function shallowest(entries: readonly ZipEntry[]): string | null {
  const places = entries.map(({ name }) => name.slice(0, name.length - basename(name).length));
  const depth = (place: string): number => place.split('/').length;
  return places.toSorted((a, b) => depth(a) - depth(b))[0] ?? null;
}
