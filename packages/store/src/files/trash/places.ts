import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { malformed } from '../../on-disk/disk/index.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { namesInside, readInside } from '../../on-disk/inside/index.ts';
import type { TrashEntry } from '../../trash.ts';
import { isTrashEntry } from '../../trash.ts';
import { parseJson } from '../format/fields.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';

// Next to the journal, where Loom never looks: an entry is a small file, and what was removed lies beside it.

const TRASH = `${OWN_DIRECTORY}/trash`;

export const entryFile = (id: string): string => `${TRASH}/${fileNameOf(id)}.json`;
export const removedFile = (id: string): string => `${TRASH}/${fileNameOf(id)}.removed.json.gz`;
/** The directory of a deleted project. */
export const projectPlace = (id: string): string => `${TRASH}/${fileNameOf(id)}.project`;

export interface Trash {
  /** In the order of deletion. */
  readonly entries: Map<string, TrashEntry>;
  /** Entries that cannot be read. */
  readonly problems: readonly StoreError[];
}

export async function scanTrash(base: string): Promise<Trash> {
  const entries: TrashEntry[] = [];
  const problems: StoreError[] = [];
  for (const name of await namesInside(base, TRASH)) {
    if (!name.endsWith('.json')) continue;
    const file = `${TRASH}/${name}`;
    try {
      const entry = await readInside(base, file, (bytes) => parseEntry(join(base, file), bytes.toString('utf8')));
      if (entry !== null) entries.push(entry);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      problems.push(error);
    }
  }
  entries.sort((a, b) => Date.parse(a.deletedAt) - Date.parse(b.deletedAt));
  return { entries: new Map(entries.map((entry) => [entry.id, entry])), problems };
}

function parseEntry(path: string, text: string): TrashEntry {
  const value = parseJson(path, text);
  if (!isTrashEntry(value)) throw malformed(path, 'it is not an entry of the trash.');
  return value;
}
