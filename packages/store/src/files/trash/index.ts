import { join } from 'node:path';
import type { BlobHash } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '../../store.ts';
import type { TrashEntry, TrashTicket } from '../../trash.ts';
import { isAsked, newestFirst, nothingToReturnTo } from '../../trash.ts';
import { jsonText } from '../format/fields.ts';
import { logText } from '../format/log.ts';
import type { RootEntry } from '../format/roots.ts';
import { ROOTS_FILE, rootsText } from '../format/roots.ts';
import { forgetBookmarks } from '../annotations/loom-bookmarks.ts';
import type { FileChange } from '../journal/index.ts';
import type { Base } from '../state/base.ts';
import { logFile } from '../state/places.ts';
import type { ProjectState } from '../state/project-state.ts';
import { scanProject } from '../state/scan.ts';
import { changeProject } from '../write/change-project.ts';
import { requireFreePlace } from '../write/place.ts';
import type { Removed } from './keep.ts';
import { entryFile, projectPlace, removedFile } from './places.ts';
import { readRemoved } from './removed.ts';
import { restoreInto } from './restore.ts';

/** Where a deleted project was. */
interface RemovedProject {
  readonly root: RootEntry;
  readonly at: number;
  readonly directory: string;
  /** What its nodes refer to. Absent in entries from before there were blobs. */
  readonly blobs?: readonly BlobHash[];
}

export function trashMethods(base: Base): Pick<Store, 'listTrash' | 'restoreTrash' | 'purgeTrash'> {
  const { entries } = base.trash;
  const list: Store['listTrash'] = (query) =>
    Promise.resolve(newestFirst([...entries.values()].filter((entry) => isAsked(entry, query))));

  return {
    listTrash: list,

    restoreTrash: async (id) => {
      const entry = entries.get(id);
      if (entry === undefined) throw new UnknownIdError('trash entry', id);
      if (entry.kind === 'project') {
        await base.exclusively(() => restoreProject(base, entry));
        return entry;
      }
      if (!base.projects.has(entry.projectId)) throw nothingToReturnTo('project', entry.projectId);
      await changeProject(base, entry.projectId, async (draft) => {
        if (!entries.has(id)) throw new UnknownIdError('trash entry', id);
        restoreInto(base, draft, (await readRemoved(base, id)) as Removed, join(base.directory, removedFile(id)));
        draft.besides.push(...removalOf(entry));
        draft.afterwards.push(() => entries.delete(id));
      });
      return entry;
    },

    purgeTrash: (query) =>
      base.exclusively(async () => {
        const found = await list(query);
        if (found.length === 0 && query.id !== undefined) throw new UnknownIdError('trash entry', query.id);
        if (found.length > 0) await base.files.commit(found.flatMap(removalOf));
        for (const { id } of found) entries.delete(id);
        await forgetBookmarks(
          base,
          found.flatMap(({ kind, projectId }) => (kind === 'project' ? [projectId] : [])),
        );
        return found;
      }),
  };
}

const removalOf = ({ id, kind }: TrashEntry): readonly FileChange[] => [
  { type: 'delete', path: entryFile(id) },
  { type: 'delete', path: removedFile(id) },
  ...(kind === 'project' ? [{ type: 'removeTree', path: projectPlace(id) } as const] : []),
];

/**
 * Moves the project's directory into the trash. A directory that moves is not in the journal, so nothing of it may be
 * there before, and nothing that takes its place may come there after it: a crash would replay that onto the wrong one.
 */
export async function keepProject(base: Base, state: ProjectState, ticket: TrashTicket): Promise<void> {
  const { project, directory } = state;
  const roots = base.roots.filter(({ id }) => id !== project.id);
  const at = base.roots.findIndex(({ id }) => id === project.id);
  const root = base.roots[at] ?? { id: project.id };
  const removed: RemovedProject = { root, at, directory, blobs: [...state.blobs.keys()] };
  const entry: TrashEntry = {
    ...ticket,
    kind: 'project',
    projectId: project.id,
    projectName: project.name,
    title: project.name,
    messages: state.nodes.size,
    branches: [],
  };
  // Log lines that were requested before this are written first.
  await base.files.commit([]);
  await base.files.checkpoint();
  await base.files.commit([
    { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
    { type: 'put', path: removedFile(entry.id), text: JSON.stringify(removed), gzip: true },
    { type: 'put', path: entryFile(entry.id), text: jsonText(entry) },
    { type: 'adoptTree', path: projectPlace(entry.id), from: directory },
  ]);
  await base.files.checkpoint();
  base.trash.entries.set(entry.id, entry);
}

async function restoreProject(base: Base, entry: TrashEntry): Promise<void> {
  const { id, projectId } = entry;
  if (!base.trash.entries.has(id)) throw new UnknownIdError('trash entry', id);
  await requireFreePlace(base, projectId);
  const { root, at, directory } = (await readRemoved(base, id)) as RemovedProject;
  const roots = base.roots.toSpliced(at, 0, root);
  await base.files.checkpoint();
  await base.files.commit([
    { type: 'adoptTree', path: directory, from: projectPlace(id) },
    { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
    ...removalOf(entry),
  ]);
  await base.files.checkpoint();
  const state = await scanProject(base.directory, root, { directory, defaults: base.defaults });
  for (const [turn, { entries }] of state.logs)
    base.logSizes.set(logFile(directory, turn), Buffer.byteLength(logText(entries)));
  base.roots = roots;
  const projects = new Map(base.projects).set(projectId, state);
  base.projects.clear();
  for (const one of roots) {
    const found = [...projects.values()].find(({ project }) => project.id === one.id);
    if (found) base.projects.set(found.project.id, found);
  }
  base.trash.entries.delete(id);
}
