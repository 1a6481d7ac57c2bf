import { join } from 'node:path';
import type { ProjectId } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { writeAtomically } from '../../on-disk/disk/index.ts';
import { readInside } from '../../on-disk/inside/index.ts';
import type { Bookmark } from '../format/bookmarks.ts';
import { CONFIG_FILE, editBookmarks, isEditable, isSameBookmark, parseBookmarks } from '../format/bookmarks.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';
import type { Base } from '../state/base.ts';

export interface BookmarkChange {
  readonly removed: (bookmark: Bookmark) => boolean;
  readonly added: readonly Bookmark[];
}

/**
 * Changes Loom's configuration, then does the rest; where that fails, the bookmarks are as they were. The file does not
 * go through the journal: it holds keys of providers, which nothing of Bough's may keep a copy of. What Loom wrote
 * since is read again first.
 */
export async function withBookmarks<T>(base: Base, change: BookmarkChange, work: () => Promise<T>): Promise<T> {
  const isChange = change.added.length > 0 || (base.bookmarks ?? []).some(change.removed);
  if (!isChange) return work();
  const before = await readConfig(base);
  const there = parseBookmarks(before);
  const added = change.added.filter((one) => !there.some((other) => isSameBookmark(one, other)));
  await write(base, editBookmarks(before, change.removed, added));
  try {
    return await work();
  } catch (error) {
    await write(base, before);
    throw error;
  }
}

/** Of projects that are gone for good. */
export async function forgetBookmarks(base: Base, projects: readonly ProjectId[]): Promise<void> {
  const gone: ReadonlySet<string> = new Set(projects);
  await withBookmarks(base, { removed: ({ rootId }) => gone.has(rootId), added: [] }, () => Promise.resolve());
}

async function readConfig({ directory }: Base): Promise<string> {
  const text = await readInside(directory, CONFIG_FILE, (bytes) => bytes.toString('utf8'));
  if (text !== null && isEditable(text)) return text;
  const path = join(directory, CONFIG_FILE);
  throw new StoreError(
    'config_changed',
    path,
    `${path} was removed, or its bookmarks are written in a way that Bough cannot edit. Restart Bough, which then keeps bookmarks in files of its own.`,
  );
}

async function write(base: Base, text: string): Promise<void> {
  const { directory, modes } = base;
  await writeAtomically(join(directory, CONFIG_FILE), text, join(directory, OWN_DIRECTORY, 'tmp'), modes);
  base.bookmarks = parseBookmarks(text);
}
