import type { NodeId, Project, TreeNode } from '@bough/core';
import { idFrom, isPlainObject, researchTreeSpace } from '@bough/core';
import type { ForeignDocument } from '@bough/store';
import type { CurrentCanvas } from './current.ts';

type Line = Readonly<Record<string, unknown>>;

/**
 * The artefact that ResearchTree kept with a path: the newest snapshot above the last message that ResearchTree knows,
 * or directly behind it. Snapshots are no messages, so they are read from what is kept beside the project. With
 * `since`, a version on the path, only what ResearchTree wrote behind that one.
 */
export function artefactOf(
  project: Pick<Project, 'id' | 'createdAt'>,
  path: readonly TreeNode[],
  documents: readonly Pick<ForeignDocument, 'name' | 'value'>[],
  since: NodeId | null = null,
): CurrentCanvas | null {
  const objects = documents.flatMap(({ name, value }) =>
    name.startsWith('research-tree/objects/') && Array.isArray(value) ? value.filter(isPlainObject) : [],
  );
  const blobs = new Map(
    objects.flatMap((blob) => (blob['type'] === 'blob' && typeof blob['id'] === 'string' ? [[blob['id'], blob]] : [])),
  );
  const lines = new Map<string, Line>();
  for (const { text } of blobs.values())
    for (const line of typeof text === 'string' ? text.split('\n') : []) {
      const parsed = line.startsWith('{') ? objectIn(line) : null;
      const id = parsed?.['id'];
      if (parsed !== null && typeof id === 'string') lines.set(id, parsed);
    }
  const originalOf = originals(project, documents, lines);
  const last = path.map(({ id }) => originalOf(id)).findLast((id) => id !== undefined);
  const known = since === null ? null : originalOf(since);
  // ResearchTree has written nothing since it could have known that version.
  if (last === undefined || known === undefined) return null;
  const behind = stateBehind(lines, last);
  const isElsewhere = known !== null && behind?.['createdOnBranch'] !== lines.get(last)?.['createdOnBranch'];
  const state = (isElsewhere ? null : behind) ?? stateAbove(lines, last, known);
  const text = state === null ? null : textOf(blobs, state['artefactSnapshot']);
  if (text === null || (text === '' && since === null)) return null;
  const at = state?.['timestamp'];
  const createdAt = new Date(typeof at === 'number' ? at : 0).toISOString();
  return { type: 'canvas', text, by: 'person', inContext: false, nodeId: null, createdAt };
}

/** What ResearchTree calls a node. In a project that was imported, nodes have ids that were derived from its own. */
function originals(
  { id: project, createdAt }: Pick<Project, 'id' | 'createdAt'>,
  documents: readonly Pick<ForeignDocument, 'name' | 'value'>[],
  lines: ReadonlyMap<string, Line>,
): (node: NodeId) => string | undefined {
  const repository = documents.find(({ name }) => name === 'research-tree/repository')?.value;
  const was = isPlainObject(repository) ? repository['project'] : undefined;
  if (typeof was !== 'string' || was === project) return (node) => (lines.has(node) ? node : undefined);
  const space = researchTreeSpace(was, createdAt);
  const names = new Map([...lines.keys()].map((line) => [idFrom(space, 'node', line), line]));
  return (node) => names.get(node);
}

function stateAbove(lines: ReadonlyMap<unknown, Line>, id: string, since: string | null): Line | null {
  const seen = new Set<unknown>();
  for (let line = lines.get(id); line !== undefined && !seen.has(line); line = lines.get(line['parent'])) {
    if (line['type'] === 'state') return line;
    if (line['id'] === since) return null;
    seen.add(line);
  }
  return null;
}

/** The last one of the snapshots that follow a message before anything else does. */
function stateBehind(lines: ReadonlyMap<unknown, Line>, id: string): Line | null {
  let found: Line | null = null;
  // In the order of their lines: what follows stands below.
  for (const line of lines.values())
    if (line['type'] === 'state' && line['parent'] === (found?.['id'] ?? id)) found = line;
  return found;
}

/** A blob that grew is kept as what was added to the one before. */
function textOf(blobs: ReadonlyMap<string, Line>, id: unknown): string | null {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  for (let at = id; at !== undefined;) {
    const blob = typeof at === 'string' ? blobs.get(at) : undefined;
    if (blob === undefined || typeof blob['text'] !== 'string' || seen.has(at)) return null;
    seen.add(at);
    parts.unshift(blob['text']);
    at = blob['base'];
  }
  return parts.join('');
}

function objectIn(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
