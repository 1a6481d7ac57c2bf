/** One entry of a tree object. */
export interface TreeEntry {
  readonly mode: '100644' | '100755' | '120000' | '40000' | '160000';
  readonly oid: string;
}

/** By name. Names are kept as UTF-8. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** Null where the bytes are not a tree. */
export function parseTree(content: Buffer): Tree | null {
  const entries = new Map<string, TreeEntry>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    if (end < 0 || end + OID_BYTES >= content.length) return null;
    const mode = content.toString('latin1', at, space) as TreeEntry['mode'];
    const next = end + 1 + OID_BYTES;
    entries.set(content.toString('utf8', space + 1, end), { mode, oid: content.toString('hex', end + 1, next) });
    at = next;
  }
  return entries;
}

const OID_BYTES = 20;

/** In git's order: by bytes, a directory as if its name ended in a slash. Any other order is a corrupt tree. */
export function serializeTree(tree: Tree): Buffer {
  const sorted = [...tree]
    .map(([name, entry]) => ({ entry, name, key: Buffer.from(entry.mode === '40000' ? `${name}/` : name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(
    sorted.flatMap(({ entry, name }) => [Buffer.from(`${entry.mode} ${name}\0`), Buffer.from(entry.oid, 'hex')]),
  );
}
