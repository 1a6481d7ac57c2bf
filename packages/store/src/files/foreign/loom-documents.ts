import type { NodeId, ProjectId } from '@bough/core';
import { isPlainObject, nodeId } from '@bough/core';
import type { ForeignDocument } from '../../foreign.ts';
import type { NodeFile } from '../format/own-part.ts';
import { objectIn, OWN } from '../format/own-part.ts';
import type { RootEntry } from '../format/roots.ts';
import { rootOfProject } from '../format/roots.ts';
import { readNodeFileOf } from '../read/nodes.ts';
import type { ReadableBase } from '../state/base.ts';
import type { ProjectState } from '../state/project-state.ts';
import { childIdsOf } from '../state/project-state.ts';
import { childrenOf } from './restore.ts';

// What Loom wrote of a project, so that it can be written again: parameters, usage, tags, custom data, and whatever
// else stands in its files.

export const LOOM_ROOT = 'loom/root';
export const LOOM_NODES = 'loom/nodes/';

/** How large a document gets, in characters, before the next one begins. */
const DOCUMENT_SIZE = 512 * 1024;

/** A node of Loom with its file as Loom wrote it. */
export interface LoomNode {
  readonly id: NodeId;
  readonly file: NodeFile;
}

/** The documents of a project that Loom wrote to; none where it did not. */
export async function* loomDocuments(
  base: ReadableBase,
  state: ProjectState,
  root: RootEntry | undefined,
): AsyncIterable<ForeignDocument> {
  const projectId = state.project.id;
  let part: LoomNode[] = [];
  let size = 0;
  let count = 0;
  const document = (): ForeignDocument => {
    count += 1;
    const made = {
      projectId,
      name: `${LOOM_NODES}${String(count).padStart(4, '0')}`,
      holds: heldIn(part),
      value: part,
    };
    part = [];
    size = 0;
    return made;
  };
  for (const entry of state.nodes.values()) {
    if (!entry.isLooms) continue;
    const file = withoutOwn(await readNodeFileOf(base, state, entry));
    const line = { id: entry.id, file: { ...file, child_ids: loomsAmong(state, file) } };
    part.push(line);
    size += JSON.stringify(line).length;
    if (size > DOCUMENT_SIZE) yield document();
  }
  if (part.length > 0) yield document();
  if (count === 0) return;
  const first = childIdsOf(state, null).filter((id) => state.nodes.get(id)?.isLooms === true);
  const childIds = childrenOf({ child_ids: loomsAmong(state, root ?? {}) }, first);
  yield { projectId, name: LOOM_ROOT, holds: {}, value: rootOfProject(state.project, childIds, root) };
}

/** Without what Bough added: that is in the project's own records. */
function withoutOwn(file: NodeFile): NodeFile {
  const metadata = file['metadata'];
  if (!isPlainObject(metadata) || !isPlainObject(metadata['custom_data'])) return file;
  const { [OWN]: own, ...custom } = metadata['custom_data'];
  if (own === undefined) return file;
  const { custom_data: _, ...others } = metadata;
  return { ...file, metadata: Object.keys(custom).length === 0 ? others : { ...metadata, custom_data: custom } };
}

/** The children that Loom listed; those that Bough added are in the project's own records. */
function loomsAmong(state: ProjectState, { child_ids: listed }: Readonly<Record<string, unknown>>): readonly string[] {
  const ids: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return ids.filter((id): id is string => {
    if (typeof id !== 'string') return false;
    return state.nodes.get(state.loomIds.get(id) ?? nodeId(id))?.isLooms !== false;
  });
}

function heldIn(part: readonly LoomNode[]): Readonly<Record<string, number>> {
  const held: Record<string, number> = {};
  const note = (kind: string, is: boolean): void => {
    if (is) held[kind] = (held[kind] ?? 0) + 1;
  };
  const has = (value: unknown): boolean => isPlainObject(value) && Object.keys(value).length > 0;
  for (const { file } of part) {
    const metadata = objectIn(file, 'metadata');
    const source = objectIn(metadata, 'source_info');
    note('list of tags', Array.isArray(metadata['tags']) && metadata['tags'].length > 0);
    note('custom data of a message', has(metadata['custom_data']));
    note('parameters of a reply', has(source['parameters']));
    note('token counts of a reply', has(source['usage']));
    note('tools of a reply', Array.isArray(source['tools']) && source['tools'].length > 0);
    note('split message', metadata['split_source'] !== undefined);
  }
  return held;
}

export interface LoomOriginal {
  readonly root: RootEntry;
  readonly nodes: ReadonlyMap<string, NodeFile>;
}

/** What Loom wrote of this very project; null where the documents are of another one, or none. */
export function loomOriginal(project: ProjectId, documents: readonly ForeignDocument[]): LoomOriginal | null {
  const root = documents.find(({ name }) => name === LOOM_ROOT)?.value;
  if (!isPlainObject(root) || root['id'] !== project) return null;
  const nodes = new Map<string, NodeFile>();
  for (const { name, value } of documents) {
    if (!name.startsWith(LOOM_NODES) || !Array.isArray(value)) continue;
    for (const line of value as readonly unknown[])
      if (isPlainObject(line) && typeof line['id'] === 'string' && isPlainObject(line['file']))
        nodes.set(line['id'], line['file']);
  }
  return { root: { ...root, id: project }, nodes };
}

export const isLoomDocument = ({ name }: ForeignDocument): boolean => name === LOOM_ROOT || name.startsWith(LOOM_NODES);
