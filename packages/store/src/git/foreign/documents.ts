import type { ProjectId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ForeignDocument } from '../../foreign.ts';
import { byName } from '../../foreign.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { readJson } from '../meta/records.ts';
import { parseTree } from '../objects/tree.ts';
import { directoryOf, readEntry, subjectOf } from '../operations/turn-files.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { Repository } from '../repository/repository.ts';
import type { LooseFile } from './loose-files.ts';
import { looseFiles } from './loose-files.ts';
import type { ObjectLine } from './object-lines.ts';
import { isObjectLine, objectLines } from './object-lines.ts';
import { foreignTips, hasForeignCommits, readIfWhole } from './tips.ts';

/** Where documents lie in the tree of `refs/bough/meta`. */
export const FOREIGN = 'foreign';
export const foreignFile = (name: string): string => `${FOREIGN}/${fileNameOf(name)}.json`;

export const REPOSITORY = 'research-tree/repository';
export const OBJECTS = 'research-tree/objects/';

/** What a repository is besides its objects. */
export interface RepositoryDocument {
  readonly version: 1;
  readonly project: ProjectId;
  readonly head: string;
  readonly refs: Readonly<Record<string, string>>;
  readonly files: readonly LooseFile[];
}

const DOCUMENT_SIZE = 1024 * 1024;

/** Everything in a repository that Bough did not write and does not hold; often nothing. */
export async function documentsOfProject(project: OpenProject): Promise<readonly ForeignDocument[]> {
  const stored = await storedDocuments(project);
  const isRestored = stored.some(({ name }) => name === REPOSITORY);
  // A project that Bough made is Bough's alone, unless somebody has committed to it by hand.
  const { file } = project.state();
  if (file.order !== null && !isRestored && !(await hasForeignCommits(project.repository))) return stored;
  const tips = await foreignTips(project.repository);
  if (tips.size === 0 || (isRestored && isCovered(stored, tips))) return stored;
  const others = stored.filter(({ name }) => name !== REPOSITORY && !name.startsWith(OBJECTS));
  return [...others, ...(await madeDocuments(project, tips))].sort(byName);
}

/** Nobody else has written since the documents were put here. */
function isCovered(documents: readonly ForeignDocument[], tips: ReadonlyMap<string, string>): boolean {
  const wanted = new Set(tips.values());
  for (const { id } of linesOf(documents)) wanted.delete(id);
  return wanted.size === 0;
}

export function linesOf(documents: readonly ForeignDocument[]): readonly ObjectLine[] {
  return documents
    .filter(({ name }) => name.startsWith(OBJECTS))
    .toSorted(byName)
    .flatMap(({ value }) => (Array.isArray(value) ? (value as readonly unknown[]).filter(isObjectLine) : []));
}

async function storedDocuments(project: OpenProject): Promise<readonly ForeignDocument[]> {
  const directory = await directoryOf(project, FOREIGN);
  const found: ForeignDocument[] = [];
  for (const file of directory.keys()) {
    const { name, holds, value } = readJson(
      await readEntry(project, directory, file),
      subjectOf(project, `${FOREIGN}/${file}`),
    );
    if (typeof name !== 'string' || !isPlainObject(holds)) continue;
    found.push({ projectId: project.id, name, holds: holds as ForeignDocument['holds'], value });
  }
  return found.sort(byName);
}

async function madeDocuments(
  project: OpenProject,
  tips: ReadonlyMap<string, string>,
): Promise<readonly ForeignDocument[]> {
  const { repository } = project;
  const documents: ForeignDocument[] = [];
  const count = createCount();
  let part: ObjectLine[] = [];
  let size = 0;
  const flush = (): void => {
    if (part.length === 0) return;
    const name = `${OBJECTS}${String(documents.length + 1).padStart(4, '0')}`;
    documents.push({ projectId: project.id, name, holds: {}, value: part });
    part = [];
    size = 0;
  };
  for await (const line of objectLines(repository, new Set(tips.values()), (oid) => count.add('missing object', oid))) {
    count.line(line);
    part.push(line);
    size += (line.text ?? line.base64 ?? '').length;
    if (size > DOCUMENT_SIZE) flush();
  }
  flush();
  const { defaultRef } = project.state();
  const { kept } = await looseFilesOf(project);
  for (const { path } of kept) if (!path.startsWith('.git/')) count.add('uncommitted file', path);
  const value: RepositoryDocument = {
    version: 1,
    project: project.id,
    head: defaultRef,
    refs: Object.fromEntries(tips),
    files: kept,
  };
  return [...documents, { projectId: project.id, name: REPOSITORY, holds: count.held(), value }];
}

/** Files outside of git's objects, and what of them would be lost with the repository. */
export async function looseFilesOf(project: OpenProject): ReturnType<typeof looseFiles> {
  const { repository } = project;
  const { defaultRef, heads } = project.state();
  const head = heads.get(defaultRef);
  const committed = new Map<string, string>();
  if (head !== undefined) await filesOfTree(repository, head.tree, '', committed);
  return looseFiles(repository, committed, async (oid) => (await readIfWhole(repository, oid)) !== null);
}

export async function filesOfTree(
  repository: Repository,
  tree: string,
  path: string,
  found: Map<string, string>,
): Promise<void> {
  const object = await readIfWhole(repository, tree);
  for (const [name, { mode, oid }] of (object?.type === 'tree' ? parseTree(object.content) : null) ?? []) {
    if (mode === '40000') await filesOfTree(repository, oid, `${path}${name}/`, found);
    else if (mode === '100644' || mode === '100755') found.set(`${path}${name}`, oid);
  }
}

interface Count {
  readonly add: (kind: string, id: string) => void;
  readonly line: (line: ObjectLine) => void;
  readonly held: () => Readonly<Record<string, number>>;
}

/** What ResearchTree knows and Bough does not, counted by id: the same line stands on several branches. */
function createCount(): Count {
  const found = new Map<string, Set<string>>();
  const add = (kind: string, id: string): void => {
    const ids = found.get(kind) ?? new Set<string>();
    found.set(kind, ids.add(id));
  };
  return {
    add,
    line: ({ id, type, text = '' }) => {
      if (type === 'commit') add('commit', id);
      if (type !== 'blob') return;
      for (const value of text.split('\n').flatMap(parsed)) {
        const node = typeof value['id'] === 'string' ? value['id'] : '';
        if (value['type'] === 'merge') add('merge', node);
        if (value['type'] === 'state') add('state of the canvas', node);
        if (value['tokensUsed'] !== undefined) add('token count', node);
        if (value['uiHidden'] === true) add('hidden message', node);
        if (value['pinnedFromMergeId'] !== undefined) add('pinned merge', node);
      }
    },
    held: () => Object.fromEntries([...found].map(([kind, ids]) => [kind, ids.size])),
  };
}

const INTERESTING = /"type":"(?:merge|state)"|"tokensUsed"|"uiHidden"|"pinnedFromMergeId"/;

function parsed(text: string): readonly Readonly<Record<string, unknown>>[] {
  return INTERESTING.test(text) ? objectsIn(text) : [];
}

function objectsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? [value] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
