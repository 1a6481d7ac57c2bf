/**
 * The files of a bundle: one line per record, in the order of the store, so that two bundles of one project differ only
 * where it changed.
 */
export const MANIFEST = 'bundle.json';
export const BUNDLE_FORMAT = 'bough-bundle';
export const BUNDLE_VERSION = 1;

export const FILES = {
  branch: 'branches.jsonl',
  turn: 'turns.jsonl',
  node: 'nodes.jsonl',
  call: 'calls.jsonl',
  rendering: 'renderings.jsonl',
} as const;

export const rawFile = (hash: string): string => `raw/${hash.slice(0, 2)}/${hash}.json`;

/** What a bundle's directory holds, and nothing else. */
export const BUNDLE_NAMES: ReadonlySet<string> = new Set([MANIFEST, ...Object.values(FILES), 'raw', 'branches']);
