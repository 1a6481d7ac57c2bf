import { isPlainObject } from '@bough/core';
import { isInside } from '../../on-disk/inside/index.ts';

/** A change of one file or directory. Paths are relative to the store, with `/`. Idempotent. */
export type FileChange =
  | { readonly type: 'put'; readonly path: string; readonly text: string; readonly gzip?: true }
  | { readonly type: 'delete'; readonly path: string }
  /** Writes at this offset and truncates the file after it. */
  | { readonly type: 'append'; readonly path: string; readonly offset: number; readonly text: string }
  | { readonly type: 'removeTree'; readonly path: string }
  /**
   * Moves a directory that was prepared elsewhere into place. Its content is not in the journal, so nothing that
   * removes the place may precede it there: see `FileSet.checkpoint`.
   */
  | { readonly type: 'adoptTree'; readonly path: string; readonly from: string };

/** Every path that a change names lies inside the store. */
export function isFileChange(value: unknown): value is FileChange {
  if (!isPlainObject(value) || !isPathInside(value['path'])) return false;
  switch (value['type']) {
    case 'put':
      return typeof value['text'] === 'string';
    case 'append':
      return typeof value['text'] === 'string' && Number.isSafeInteger(value['offset']) && Number(value['offset']) >= 0;
    case 'adoptTree':
      return isPathInside(value['from']);
    default:
      return value['type'] === 'delete' || value['type'] === 'removeTree';
  }
}

const isPathInside = (value: unknown): boolean => typeof value === 'string' && isInside(value);
