import { join } from 'node:path';
import { malformed } from '../on-disk/disk/index.ts';
import { namesInside } from '../on-disk/inside/index.ts';
import type { ShelfDocument } from '../shelf.ts';
import { byName, isShelfDocument, nextDocument, requireDocumentName } from '../shelf.ts';
import type { Store } from '../store.ts';
import { jsonText, parseJson } from './format/fields.ts';
import { OWN_DIRECTORY } from './journal/index.ts';
import type { Base } from './state/base.ts';

// Next to the journal, where Loom never looks: one readable file per document.

const SHELF = `${OWN_DIRECTORY}/shelf`;

export function shelfMethods(base: Base): Pick<Store, 'listDocuments' | 'getDocument' | 'putDocument'> {
  const read = async (name: string): Promise<ShelfDocument | null> => {
    const text = await base.files.read(fileOf(name));
    return text === null ? null : parse(join(base.directory, fileOf(name)), name, text);
  };
  return {
    listDocuments: () =>
      base.exclusively(async () => {
        // What is committed may still be on its way into its file, and a file that does not exist yet has no name.
        await base.files.settle();
        const names = (await namesInside(base.directory, SHELF)).filter((name) => name.endsWith('.json'));
        const found = await Promise.all(names.map((name) => read(name.slice(0, -'.json'.length))));
        return byName(found.filter((document) => document !== null));
      }),
    getDocument: async (name) => {
      requireDocumentName(name);
      return read(name);
    },
    putDocument: async (name, value, expected) => {
      requireDocumentName(name);
      const copy = structuredClone(value);
      return base.exclusively(async () => {
        const next = nextDocument(await read(name), { name, value: copy, expected });
        await base.files.commit([{ type: 'put', path: fileOf(name), text: jsonText(next) }]);
        return next;
      });
    },
  };
}

const fileOf = (name: string): string => `${SHELF}/${name}.json`;

function parse(path: string, name: string, text: string): ShelfDocument {
  const value = parseJson(path, text);
  if (!isShelfDocument(value) || value.name !== name) throw malformed(path, 'it is not a document of the shelf.');
  return value;
}
