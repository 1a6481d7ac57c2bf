import type { ObjectBatch } from '../objects/object-batch.ts';
import { serializeTree, type Tree, type TreeEntry } from '../objects/tree.ts';
import type { Repository } from './repository.ts';

/** Files to set (to a blob) or to remove (null), by path. */
export type TreeEdits = ReadonlyMap<string, string | null>;

/**
 * The tree with the edits applied. Only the directories on the way to an edit are read and written; one that becomes
 * empty is removed.
 */
export async function editTree(
  repository: Repository,
  objects: ObjectBatch,
  base: string | null,
  edits: TreeEdits,
): Promise<string> {
  const after = await editEntries(repository, objects, base, edits);
  return addTree(repository, objects, after);
}

async function editEntries(
  repository: Repository,
  objects: ObjectBatch,
  base: string | null,
  edits: TreeEdits,
): Promise<Tree> {
  const before: Tree = base === null ? new Map() : await repository.readTree(base);
  const after = new Map(before);
  for (const [name, inner] of byFirstPart(edits)) {
    const entry = await editEntry(repository, objects, before.get(name), inner);
    if (entry === null) after.delete(name);
    else after.set(name, entry);
  }
  return after;
}

function addTree(repository: Repository, objects: ObjectBatch, tree: Tree): string {
  const oid = objects.add('tree', serializeTree(tree));
  repository.keepTree(oid, tree);
  return oid;
}

async function editEntry(
  repository: Repository,
  objects: ObjectBatch,
  before: TreeEntry | undefined,
  inner: TreeEdits,
): Promise<TreeEntry | null> {
  const blob = inner.get('');
  if (blob !== undefined) return blob === null ? null : { mode: '100644', oid: blob };
  const base = before?.mode === '40000' ? before.oid : null;
  const tree = await editEntries(repository, objects, base, inner);
  return tree.size === 0 ? null : { mode: '40000', oid: addTree(repository, objects, tree) };
}

/** Groups paths by their first part; the edit of a file itself has the empty path. */
function byFirstPart(edits: TreeEdits): Map<string, Map<string, string | null>> {
  const parts = new Map<string, Map<string, string | null>>();
  for (const [path, blob] of edits) {
    const slash = path.indexOf('/');
    const name = slash < 0 ? path : path.slice(0, slash);
    const inner = parts.get(name) ?? new Map<string, string | null>();
    inner.set(slash < 0 ? '' : path.slice(slash + 1), blob);
    parts.set(name, inner);
  }
  return parts;
}
