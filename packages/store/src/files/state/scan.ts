import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Envelope, ProjectId, TurnId } from '@bough/core';
import { nodeId, projectId } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { idOfFileName } from '../../on-disk/file-names/index.ts';
import { diskTrouble, eachOf, hasCode } from '../../on-disk/disk/index.ts';
import { isInside, namesInside, readInside } from '../../on-disk/inside/index.ts';
import { foreignDirectory } from '../foreign/stored.ts';
import type { Bookmark } from '../format/bookmarks.ts';
import { readBookmarks } from '../format/bookmarks.ts';
import { fieldsOf, parseJson } from '../format/fields.ts';
import { parseLog } from '../format/log.ts';
import { boughIdOf, fromLoomForm } from '../format/loom-form.ts';
import type { NodeFile, ReadNode } from '../format/node-file.ts';
import { readNodeFile } from '../format/node-file.ts';
import type { RootEntry } from '../format/roots.ts';
import { isDeletedRoot, parseRoots, projectOfRoot, ROOTS_FILE } from '../format/roots.ts';
import { parseAnnotations, parseBranch, parseRenderings, parseTurn } from '../format/sidecars.ts';
import { adoptedBranch } from './adopt.ts';
import { inOrderOfStorage } from './order.ts';
import { directoryOf, logFile, loomIdOf, projectFile, rawFile } from './places.ts';
import type { ProjectState } from './project-state.ts';
import { createState, entryOfNode, idsOf, placeNode, setTurn } from './project-state.ts';

const READERS = 32;

export interface Scan {
  readonly roots: readonly RootEntry[];
  /** In the order of `roots.json`. */
  readonly projects: readonly ProjectState[];
  readonly bookmarks: readonly Bookmark[] | null;
}

/**
 * Reads the structure of every project. An unreadable file is noted with its project and leaves the rest alone; only
 * the list of roots is indispensable.
 */
export async function scanStore(base: string, defaults?: Envelope): Promise<Scan> {
  const path = join(base, ROOTS_FILE);
  const roots = (await readInside(base, ROOTS_FILE, (bytes) => parseRoots(path, textOf(bytes)))) ?? [];
  const bookmarks = await readBookmarks(base);
  const projects: ProjectState[] = [];
  for (const root of roots) if (!isDeletedRoot(root)) projects.push(await scanProject(base, root, { defaults }));
  for (const root of await forgottenRoots(base, roots)) {
    const state = await scanProject(base, root, { directory: root.id, defaults });
    const [oldest] = [...state.nodes.values()].map(({ createdAt }) => createdAt).sort();
    if (oldest !== undefined) state.project = { ...state.project, createdAt: oldest };
    projects.push(state);
  }
  return { roots, projects, bookmarks };
}

/** Directories of nodes that the list has lost: a crash of Loom, or a list that was written by two at once. */
async function forgottenRoots(base: string, roots: readonly RootEntry[]): Promise<readonly RootEntry[]> {
  const known = new Set(roots.flatMap(({ id }) => [id, directoryOf(projectId(id))]));
  const found: RootEntry[] = [];
  for (const name of (await readdir(base)).toSorted()) {
    if (known.has(name) || !ROOT_NAME.test(name) || !(await isDirectory(join(base, name)))) continue;
    if (!(await isDirectory(join(base, name, 'nodes')))) continue;
    if ((await filesIn(base, `${name}/nodes`)).length > 0) found.push({ id: name, config: {} });
  }
  return found;
}

/** What Loom calls a root. */
const ROOT_NAME = /^root-\d+$/;

interface ScanOptions {
  /** Where it is, if that is known. */
  readonly directory?: string | undefined;
  readonly defaults?: Envelope | undefined;
}

export async function scanProject(
  base: string,
  root: RootEntry,
  { directory, defaults }: ScanOptions = {},
): Promise<ProjectState> {
  const id = projectId(root.id);
  const place = directory ?? (await findDirectory(base, id));
  const path = join(base, projectFile(place));
  const problems: StoreError[] = [];
  const text = await notingLater(problems, () => readInside(base, projectFile(place), textOf));
  const own = text === null ? null : noting(problems, () => fieldsOf(path, parseJson(path, text)));
  const project = noting(problems, () => projectOfRoot(join(base, ROOTS_FILE), root, own));
  const state = createState(project ?? projectOfRoot(ROOTS_FILE, { id: root.id }, null), place, root);
  state.problems.push(...problems);

  await scanNodes(base, state);
  await eachOwnFile(base, state, 'branches', (branchPath, branchText) => {
    const file = parseBranch(branchPath, branchText, id);
    state.branches.set(file.branch.id, file);
  });
  await eachOwnFile(base, state, 'turns', (turnPath, turnText) => {
    setTurn(state, parseTurn(turnPath, turnText, id), (call) => rawFile(place, call));
  });
  await eachOwnFile(base, state, 'renderings', (nodePath, nodeText, file) => {
    state.renderingFiles.set(nodeId(parseRenderings(nodePath, nodeText).nodeId), file);
  });
  await eachOwnFile(base, state, 'annotations', (annotationsPath, annotationsText) => {
    const { nodeId: beside, annotations } = parseAnnotations(annotationsPath, annotationsText, id);
    state.annotations.set(beside, annotations);
  });
  const foreign = await notingLater(state.problems, () => filesIn(base, foreignDirectory(place)));
  for (const file of foreign ?? []) state.foreign.add(file);
  await eachOf([...state.turns.keys()], READERS, (turn) => scanLog(base, state, turn));
  finish(state, text !== null, defaults);
  return state;
}

function noting<T>(problems: StoreError[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    problems.push(error);
    return null;
  }
}

async function notingLater<T>(problems: StoreError[], read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    problems.push(error);
    return null;
  }
}

const textOf = (bytes: Buffer): string => bytes.toString('utf8');

async function scanLog(base: string, state: ProjectState, turn: TurnId): Promise<void> {
  const file = logFile(state.directory, turn);
  const entries = await notingLater(state.problems, () =>
    readInside(base, file, (bytes) => parseLog(join(base, file), textOf(bytes))),
  );
  if (entries) state.logs.set(turn, { entries, lastSeq: entries.at(-1)?.seq ?? 0 });
}

function finish(state: ProjectState, isBoughs: boolean, defaults: Envelope | undefined): void {
  const branches = [...state.branches].sort(([, a], [, b]) => a.order - b.order);
  state.branches.clear();
  for (const [id, branch] of branches) {
    state.branches.set(id, branch);
    state.nextOrder = Math.max(state.nextOrder, branch.order + 1);
  }
  if (isBoughs || state.branches.size > 0 || state.problems.length > 0) return;
  state.adopted = true;
  const branch = adoptedBranch(state, defaults);
  if (branch === null) return;
  state.branches.set(branch.id, { branch, order: state.nextOrder++ });
}

/**
 * Bough encodes names that not every file system accepts; Loom names the directory after the root. Bough's name is
 * tried first: a directory that happens to be named like one of its projects must not hide it.
 */
async function findDirectory(base: string, id: ProjectId): Promise<string> {
  const encoded = directoryOf(id);
  if (encoded === id || id.includes('/') || id.startsWith('.') || !isInside(id)) return encoded;
  return !(await isDirectory(join(base, encoded))) && (await isDirectory(join(base, id))) ? id : encoded;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    // What cannot be a file name at all (too long, contains NUL) cannot have been written by Loom either.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE')) return false;
    throw diskTrouble(path, error);
  }
}

async function scanNodes(base: string, state: ProjectState): Promise<void> {
  const parsed: { readonly file: string; readonly value: NodeFile }[] = [];
  const found: (ReadNode & { file: string })[] = [];
  const files = await notingLater(state.problems, () => filesIn(base, `${state.directory}/nodes`));
  await eachOf(files ?? [], READERS, async (file) => {
    const path = join(base, file);
    try {
      const value = await readInside(base, file, (bytes) => fieldsOf(path, parseJson(path, textOf(bytes))).value);
      if (value !== null) parsed.push({ file, value });
    } catch (error) {
      noteBroken(state, file, error);
    }
  });
  // A node may name a parent whose own id is in that one's file only.
  for (const { file, value } of parsed) {
    const id = boughIdOf(value);
    if (id !== null) state.loomIds.set(loomIdOf(state.project.id, file), nodeId(id));
  }
  for (const { file, value } of parsed) {
    try {
      found.push({ ...readNodeFile(join(base, file), fromLoomForm(value, idsOf(state)), state.project.id), file });
    } catch (error) {
      noteBroken(state, file, error);
    }
  }
  let last = 0;
  for (const { node, order, file } of inOrderOfStorage(found)) {
    last = Math.max(last + 1, order ?? 0);
    placeNode(state, entryOfNode(node, last, file, order === null));
  }
  state.nextOrder = last + 1;
}

function noteBroken(state: ProjectState, file: string, error: unknown): void {
  if (!(error instanceof StoreError)) throw diskTrouble(file, error);
  state.files.add(file);
  // The name alone does not say whether the id repeats the root: both ids lead to the error.
  state.broken.set(idOf(file), error);
  state.broken.set(`${state.project.id}/${idOf(file)}`, error);
}

async function eachOwnFile(
  base: string,
  state: ProjectState,
  kind: 'branches' | 'turns' | 'renderings' | 'annotations',
  read: (path: string, text: string, file: string) => void,
): Promise<void> {
  const files = await notingLater(state.problems, () => filesIn(base, `${state.directory}/bough/${kind}`));
  await eachOf(files ?? [], READERS, async (file) => {
    const problems: StoreError[] = [];
    await notingLater(problems, () => readInside(base, file, (bytes) => read(join(base, file), textOf(bytes), file)));
    for (const problem of problems) {
      state.problems.push(problem);
      state.broken.set(idOf(file), problem);
    }
  });
}

function idOf(file: string): string {
  const name = basename(file, '.json');
  return idOfFileName(name) ?? name;
}

async function filesIn(base: string, directory: string): Promise<string[]> {
  const names = await namesInside(base, directory);
  return names.filter((name) => name.endsWith('.json')).map((name) => `${directory}/${name}`);
}
