import type { NodeId } from '@bough/core';
import { isToolUseBlock } from '@bough/core';
import type { NodeFile } from '../format/node-file.ts';
import { fileOfNode, nodeFileText, withChildIds } from '../format/node-file.ts';
import { projectFileText, rootOfProject, ROOTS_FILE, rootsText } from '../format/roots.ts';
import { ownAnnotations } from '../annotations/beside.ts';
import { annotationsText, branchText, rawText, renderingsText, turnText } from '../format/sidecars.ts';
import type { FileChange } from '../journal/index.ts';
import { readNode, readNodeFileOf, readRenderings } from '../read/nodes.ts';
import type { Base } from '../state/base.ts';
import {
  annotationsFile,
  branchFile,
  logFile,
  projectFile,
  rawFile,
  renderingsFile,
  turnFile,
} from '../state/places.ts';
import type { NodeEntry, ProjectState } from '../state/project-state.ts';
import { childIdsOf, entryOf, idsOf } from '../state/project-state.ts';
import type { ProjectChange } from './project-change.ts';

/** The files that a draft changes, with their whole content. */
export async function changesOf(base: Base, draft: ProjectChange): Promise<readonly FileChange[]> {
  return [
    ...(await nodeChanges(base, draft)),
    ...ownChanges(base, draft),
    ...(await renderingChanges(base, draft)),
    ...draft.besides,
  ];
}

async function nodeChanges(base: Base, draft: ProjectChange): Promise<FileChange[]> {
  const { state, added, removed, edits } = draft;
  const changes: FileChange[] = [];
  const ids = idsOf(state, added);
  const childIdsAfter = childrenAfter(draft);
  for (const id of removed) changes.push({ type: 'delete', path: entryOf(state, id).file });
  for (const { node, entry, file: before } of added.values()) {
    if (before !== undefined) {
      const file = withChildIds(before, childIdsAfter(node.id));
      changes.push({ type: 'put', path: entry.file, text: nodeFileText(file, ids) });
      continue;
    }
    const toolName = node.role === 'tool' ? await toolNameOf(base, draft, node.parentId, node.toolCallId) : null;
    const file = fileOfNode(node, entry.order, childIdsAfter(node.id), toolName);
    changes.push({ type: 'put', path: entry.file, text: nodeFileText(file, ids) });
  }
  const parents = changedParents(draft);
  for (const id of new Set([...parents, ...edits.keys()])) {
    if (id === null || added.has(id) || removed.has(id)) continue;
    const entry = entryOf(state, id);
    const stored = await readNodeFileOf(base, state, entry);
    const edited: NodeFile = edits.get(id)?.(stored) ?? stored;
    const file = parents.has(id) ? withChildIds(edited, childIdsAfter(id)) : edited;
    changes.push({ type: 'put', path: entry.file, text: nodeFileText(file, ids) });
  }
  if (parents.has(null)) changes.push(rootChange(base, state, childIdsAfter(null).map(ids.toLoom)));
  return changes;
}

/** Loom lists children in their parent's file, and those of the root in the list of roots. */
function changedParents({ state, added, moved, removed }: ProjectChange): Set<NodeId | null> {
  const parents = new Set<NodeId | null>();
  for (const { node } of added.values()) parents.add(node.parentId);
  for (const entry of moved.values()) parents.add(entry.parentId);
  for (const id of removed) parents.add(entryOf(state, id).parentId);
  return parents;
}

function childrenAfter({ state, added, moved, removed }: ProjectChange): (parent: NodeId | null) => readonly NodeId[] {
  const coming = new Map<NodeId | null, NodeEntry[]>();
  for (const entry of [...moved.values(), ...[...added.values()].map((one) => one.entry)]) {
    const siblings = coming.get(entry.parentId);
    if (siblings) siblings.push(entry);
    else coming.set(entry.parentId, [entry]);
  }
  return (parent) => {
    const staying = childIdsOf(state, parent).filter((id) => !removed.has(id) && !moved.has(id));
    const entries = [...staying.map((id) => entryOf(state, id)), ...(coming.get(parent) ?? [])];
    return entries.sort((a, b) => a.order - b.order).map(({ id }) => id);
  };
}

export function rootChange(base: Base, state: ProjectState, childIds: readonly string[]): FileChange {
  return { type: 'put', path: ROOTS_FILE, text: rootsText(rootsWith(base, state, childIds)) };
}

/** The list of roots with this project's entry as it is now; appended where it is new. */
export function rootsWith(base: Base, state: ProjectState, childIds: readonly string[]): Base['roots'] {
  const { project } = state;
  const before = base.roots.find(({ id }) => id === project.id);
  const entry = rootOfProject(project, childIds, before);
  return before ? base.roots.map((root) => (root === before ? entry : root)) : [...base.roots, entry];
}

function ownChanges(base: Base, draft: ProjectChange): FileChange[] {
  const { state, branches, turns, raws, removed, droppedLogs } = draft;
  const { directory } = state;
  const changes: FileChange[] = [];
  const put = (path: string, text: string): void => void changes.push({ type: 'put', path, text });
  const remove = (path: string): void => void changes.push({ type: 'delete', path });
  if (state.adopted) {
    // The first file of Bough's makes the project Bough's: what was only derived until now is written along with it.
    put(projectFile(directory), projectFileText(state.project));
    for (const file of state.branches.values()) put(branchFile(directory, file.branch.id), branchText(file));
  }
  for (const [id, file] of branches) {
    if (file) put(branchFile(directory, id), branchText(file));
    else remove(branchFile(directory, id));
  }
  for (const [id, file] of turns) {
    if (file) put(turnFile(directory, id), turnText(file));
    else remove(turnFile(directory, id));
  }
  for (const [id, raw] of raws) {
    if (raw) changes.push({ type: 'put', path: rawFile(directory, id), text: rawText(raw), gzip: true });
    else remove(rawFile(directory, id));
  }
  for (const id of removed) if (state.renderingFiles.has(id)) remove(renderingsFile(directory, id));
  for (const id of droppedLogs) remove(logFile(directory, id));
  for (const id of removed) if (state.annotations.has(id)) remove(annotationsFile(directory, id));
  for (const [id, beside] of ownAnnotations(base, draft)) {
    if (beside.length > 0) put(annotationsFile(directory, id), annotationsText(id, beside));
    else if (state.annotations.has(id)) remove(annotationsFile(directory, id));
  }
  return changes;
}

async function renderingChanges(base: Base, { state, renderings }: ProjectChange): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const [nodeId, added] of renderings) {
    const before = await readRenderings(base, state, nodeId);
    const text = renderingsText({ nodeId, renderings: new Map([...before, ...added]) });
    changes.push({ type: 'put', path: renderingsFile(state.directory, nodeId), text });
  }
  return changes;
}

/** Loom names the tool in its result; the call that it answers is in a reply above it. */
async function toolNameOf(
  base: Base,
  draft: ProjectChange,
  parent: NodeId | null,
  toolCallId: string | null,
): Promise<string | null> {
  const seen = new Set<NodeId>();
  for (let id = parent; id !== null && !seen.has(id);) {
    seen.add(id);
    const entry = draft.added.get(id)?.entry ?? entryOf(draft.state, id);
    if (entry.role === 'user') return null;
    if (entry.role === 'assistant') {
      const node = draft.added.get(id)?.node ?? (await readNode(base, draft.state, entry));
      const call = node.contentBlocks.filter(isToolUseBlock).find((block) => block.id === toolCallId);
      if (call) return call.name;
    }
    id = entry.parentId;
  }
  return null;
}
