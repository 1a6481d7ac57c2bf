/**
 * The files of a bundle: one line per record, in the order of the store, so that two bundles of one project differ only
 * where it changed.
 */
export const MANIFEST = 'bundle.json';
export const BUNDLE_FORMAT = 'bough-bundle';
/**
 * 2: with files; 3: with documents of other programs; 4: with annotations. A program that reads only less would leave
 * them out without a word.
 */
export const BUNDLE_VERSIONS = { plain: 1, withFiles: 2, withForeign: 3, withAnnotations: 4 } as const;

/** Only where there are any. */
export const FOREIGN_FILE = 'foreign.jsonl';

export const ANNOTATIONS_FILE = 'annotations.jsonl';

export const FILES = {
  branch: 'branches.jsonl',
  turn: 'turns.jsonl',
  node: 'nodes.jsonl',
  call: 'calls.jsonl',
  rendering: 'renderings.jsonl',
} as const;

export const rawFile = (hash: string): string => `raw/${hash.slice(0, 2)}/${hash}.json`;

export const fileOfBlob = (hash: string): string => `files/${hash.slice(0, 2)}/${hash}`;

/** What a bundle's directory holds, and nothing else. */
export const BUNDLE_NAMES: ReadonlySet<string> = new Set([
  MANIFEST,
  ...Object.values(FILES),
  FOREIGN_FILE,
  ANNOTATIONS_FILE,
  'raw',
  'files',
  'branches',
]);
