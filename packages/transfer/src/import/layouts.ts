import { BoughError } from '@bough/core';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** ChatGPT splits a large export into numbered files. */
export const CONVERSATIONS = /^conversations(?:-\d+)?\.json$/;

/** The database of Cherry Studio since its version 2. */
const CHERRY_DATABASE = /^(?:Data\/)?cherrystudio\.sqlite$/;
/** TypingMind splits a large export, too. */
const TYPINGMIND_CHUNK = /^chunks\/[\w-]+\.json$/;
const DATA = /^data\.json$/;
const ANY = /^(?:[^/]+\/){0,2}[^/]+\.(?:json|jsonl|ndjson)$/i;

/** Files that are read under exactly these names; the first that an export has decides what it is. */
const KNOWN: readonly RegExp[] = [CONVERSATIONS, TYPINGMIND_CHUNK, CHERRY_DATABASE, DATA];

/** How the place in an archive is found where an export begins. */
export const BEGINS: readonly RegExp[] = [CONVERSATIONS, DATA, /^cherrystudio\.sqlite$/];

export interface Layout {
  /** Relative to where the export begins. */
  readonly files: readonly string[];
  /** Whether their names are known, or only look as if they could hold conversations. */
  readonly isKnown: boolean;
}

/** Which of the files of an export are read. */
export function layoutOf(paths: readonly string[]): Layout {
  for (const pattern of KNOWN) {
    const files = paths.filter((path) => pattern.test(path));
    if (files.length > 0) return { files: files.toSorted(), isKnown: true };
  }
  return { files: paths.filter((path) => ANY.test(path)).toSorted(), isKnown: false };
}

/** Names of files, which messages are given. */
const NAMES = 'conversation_asset_file_names.json';

/** What an export holds besides its conversations (projects, memories, settings), by the names of its files. */
export function besides(paths: readonly string[], read: readonly string[]): readonly string[] {
  return paths.filter((path) => /^[^/]+\.json$/.test(path) && path !== NAMES && !read.includes(path));
}

/** Why an export that looks familiar cannot be read, and what would help. */
export function familiar(paths: readonly string[]): string | null {
  if (!paths.some((path) => path.startsWith('IndexedDB/'))) return null;
  return (
    'This is a backup of Cherry Studio in which the conversations are in the database of a browser, which Bough does ' +
    'not read. Open them in version 2 or later and make a backup there, or take one with data.json in it.'
  );
}

const DEPTH = 3;
/** A directory may be named by mistake. */
const MOST = 200_000;

/** The plain files in a directory and a little below it. Links are not followed: they were named by nobody. */
export async function filesBelow(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const search = async (under: string, depth: number): Promise<void> => {
    const entries: Dirent[] = await readdir(join(directory, under), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST)
        throw new BoughError('unknown_source', `${directory}: More than ${MOST} files lie in this directory.`);
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && depth < DEPTH && !entry.name.startsWith('.')) await search(path, depth + 1);
    }
  };
  await search('', 1);
  return found;
}
