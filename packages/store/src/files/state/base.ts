import type { Envelope, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Bookmark } from '../format/bookmarks.ts';
import type { RootEntry } from '../format/roots.ts';
import type { Modes } from '../../on-disk/disk/index.ts';
import type { FileReader, FileSet } from '../journal/index.ts';
import type { BlobDirectory } from '../../on-disk/blobs/index.ts';
import type { Exclusion } from '../../on-disk/exclusion.ts';
import type { Account } from '../../on-disk/account/index.ts';
import type { SearchIndex } from '../../on-disk/search-index/index.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import type { Trash } from '../trash/places.ts';
import type { ProjectState } from './project-state.ts';

/** A store that can be read: its files, and their structure in memory. */
export interface ReadableBase {
  /** The absolute path, for messages and for what is prepared next to the files. */
  readonly directory: string;
  readonly files: FileReader;
  /** In the order of `roots.json`. */
  readonly projects: Map<ProjectId, ProjectState>;
  /** Those of Loom's configuration; null where there is none, or it cannot be edited. */
  bookmarks: readonly Bookmark[] | null;
}

/** An open store. */
export interface Base extends ReadableBase {
  readonly blobs: BlobDirectory;
  readonly account: Account;
  readonly cache: TurnCache;
  readonly searchIndex: SearchIndex;
  readonly files: FileSet;
  readonly modes: Modes;
  readonly trash: Trash;
  /** Where each log ends: the next line is written there. */
  readonly logSizes: Map<string, number>;
  /** What a Loom project without a reply is locked to. */
  readonly defaults: Envelope | undefined;
  roots: readonly RootEntry[];
  readonly now: () => number;
  /** One writer at a time: what it checked still holds when its change is durable. */
  readonly exclusively: Exclusion;
}

export function projectOf(base: ReadableBase, id: ProjectId): ProjectState {
  const state = base.projects.get(id);
  if (!state) throw new UnknownIdError('project', id);
  return state;
}
