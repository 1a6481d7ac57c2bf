import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { malformed, modesOf, syncDirectory, writeAtomically } from '../on-disk/disk/index.ts';
import { namesInside, readInside } from '../on-disk/inside/index.ts';
import type { ShelfDocument } from '../shelf.ts';
import { byName, isShelfDocument, nextDocument, requireDocumentName } from '../shelf.ts';
import type { Store } from '../store.ts';

// One readable file per document in `.shelf`, next to the projects: a name that no project can have.

const SHELF = '.shelf';

export interface Shelf extends Pick<Store, 'listDocuments' | 'getDocument' | 'putDocument'> {
  /** Resolves when nothing is being written. */
  readonly settled: () => Promise<void>;
}

/** `temporaryDirectory` is on the same file system. */
export function shelfAt(root: string, temporaryDirectory: string): Shelf {
  let last: Promise<unknown> = Promise.resolve();
  const read = (name: string): Promise<ShelfDocument | null> =>
    readInside(root, fileOf(name), (bytes) => parse(join(root, fileOf(name)), name, bytes.toString('utf8')));
  const put = async (name: string, value: unknown, expected: number): Promise<ShelfDocument> => {
    const next = nextDocument(await read(name), { name, value, expected });
    await mkdir(join(root, SHELF), { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify(next, null, 2)}\n`;
    await writeAtomically(join(root, fileOf(name)), text, temporaryDirectory, await modesOf(join(root, SHELF)));
    await syncDirectory(join(root, SHELF));
    return next;
  };
  return {
    listDocuments: async () => {
      const names = (await namesInside(root, SHELF)).filter((name) => name.endsWith('.json'));
      const found = await Promise.all(names.map((name) => read(name.slice(0, -'.json'.length))));
      return byName(found.filter((document) => document !== null));
    },
    getDocument: async (name) => {
      requireDocumentName(name);
      return read(name);
    },
    putDocument: async (name, value, expected) => {
      requireDocumentName(name);
      const copy = structuredClone(value);
      const mine = last.then(() => put(name, copy, expected));
      // The next writer waits for this one, whether or not it fails; its failure is reported to its own caller.
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: async () => void (await last),
  };
}

const fileOf = (name: string): string => `${SHELF}/${name}.json`;

function parse(path: string, name: string, text: string): ShelfDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(path, 'it is not JSON.', error);
  }
  if (!isShelfDocument(value) || value.name !== name) throw malformed(path, 'it is not a document of the shelf.');
  return value;
}
