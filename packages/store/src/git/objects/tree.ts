/** One entry of a tree object. */
export interface TreeEntry {
  readonly mode: '100644' | '100755' | '120000' | '40000' | '160000';
  readonly oid: string;
}

/** By name. Names are kept as UTF-8. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export function parseTree(content: Buffer): Tree {
  const entries = new Map<string, TreeEntry>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const mode = content.toString('latin1', at, space) as TreeEntry['mode'];
    entries.set(content.toString('utf8', space + 1, end), { mode, oid: content.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

/** In git's order: by bytes, a directory as if its name ended in a slash. Any other order is a corrupt tree. */
export function serializeTree(tree: Tree): Buffer {
  const sorted = [...tree]
    .map(([name, entry]) => ({ entry, name, key: Buffer.from(entry.mode === '40000' ? `${name}/` : name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key));
  return Buffer.concat(
    sorted.flatMap(({ entry, name }) => [Buffer.from(`${entry.mode} ${name}\0`), Buffer.from(entry.oid, 'hex')]),
  );
}
