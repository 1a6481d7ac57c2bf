import { UnknownIdError } from '@bough/core';
import type { Store } from '../../store.ts';
import type { TrashEntry, TrashQuery } from '../../trash.ts';
import { isAsked, newestFirst, nothingToReturnTo } from '../../trash.ts';
import { fileNameOf } from '../../on-disk/file-names/index.ts';
import { blobsOfEntry, draftUnusedBlobs } from '../blobs/project-blobs.ts';
import { directoryOf, readEntry, subjectOf } from '../operations/turn-files.ts';
import { settleDefaultRef } from '../project/default-ref.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import type { Registry } from '../registry/registry.ts';
import { entriesOf, readRemoved, REMOVED, type Removed, trashDirectory } from './layout.ts';
import { restoreBranch, restoreNodes } from './restore.ts';

export function trashOperations(registry: Registry): Pick<Store, 'listTrash' | 'restoreTrash' | 'purgeTrash'> {
  const list = async (query: TrashQuery): Promise<readonly TrashEntry[]> => {
    const found = (await registry.trashed()).flatMap(({ entry, contains }) => [...contains, entry]);
    for await (const project of registry.withTrash(query.projectId)) found.push(...(await entriesOf(project)));
    const inOrder = found.sort((a, b) => Date.parse(a.deletedAt) - Date.parse(b.deletedAt));
    return newestFirst(inOrder.filter((entry) => isAsked(entry, query)));
  };
  const find = async (id: string): Promise<TrashEntry> => {
    const [entry] = await list({ id });
    if (entry === undefined) throw new UnknownIdError('trash entry', id);
    return entry;
  };
  /** The project in the trash that holds an entry. */
  const holderOf = async ({ id }: TrashEntry): Promise<TrashEntry | undefined> =>
    (await registry.trashed()).find(({ contains }) => contains.some((one) => one.id === id))?.entry;
  const purge = async (entry: TrashEntry): Promise<void> => {
    if (entry.kind === 'project') return registry.purge(entry.id);
    const holder = await holderOf(entry);
    if (holder !== undefined) return registry.purgeWithin(holder.id, entry.id, (project) => purgeFrom(project, entry));
    return purgeFrom(await registry.open(entry.projectId), entry);
  };
  // A project in the trash has nobody who orders what is done to it: two that empty it would write into one repository,
  // or one would remove the directory in which the other writes.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    listTrash: list,

    restoreTrash: (id) =>
      inTurn(async () => {
        const entry = await find(id);
        if (entry.kind === 'project') await registry.restore(id);
        else if (await holderOf(entry)) throw nothingToReturnTo('project', entry.projectId);
        else await restore(await registry.open(entry.projectId), entry);
        return entry;
      }),

    purgeTrash: (query) =>
      inTurn(async () => {
        const found = query.id === undefined ? await list(query) : [await find(query.id)];
        const asked = found.filter((entry) => isAsked(entry, query));
        // A project takes along what lay in its own trash.
        const projects = asked.filter(({ kind }) => kind === 'project');
        for (const entry of asked) if (entry.kind !== 'project') await purge(entry);
        for (const entry of projects) await purge(entry);
        return asked;
      }),
  };
}

async function purgeFrom(project: OpenProject, entry: TrashEntry): Promise<void> {
  await project.write('Empty the trash', async (draft, state) => {
    const name = fileNameOf(entry.id);
    await draftUnusedBlobs(project, draft, state, await blobsOfEntry(project, name), { entry: name });
    await draftRemoval(project, draft, entry.id);
    draft.forgetsHistory = true;
    return { result: undefined, apply: [] };
  });
}

async function restore(project: OpenProject, entry: TrashEntry): Promise<void> {
  const { id } = entry;
  const removed = async (): Promise<Removed> => {
    const path = trashDirectory(id);
    const directory = await directoryOf(project, path);
    // Somebody else was faster.
    if (!directory.has(REMOVED)) throw new UnknownIdError('trash entry', id);
    const bytes = await readEntry(project, directory, REMOVED);
    return readRemoved(bytes, subjectOf(project, `${path}/${REMOVED}`));
  };
  if (entry.kind === 'branch') {
    await project.write('Restore a branch', async (draft, state) => {
      const { branch } = await removed();
      if (branch === null) throw new UnknownIdError('branch', entry.title);
      const apply = await restoreBranch(project, draft, state, branch);
      await draftRemoval(project, draft, id);
      return { result: undefined, apply };
    });
    await settleDefaultRef(project);
    return;
  }
  await project.rewrite('Restore what was deleted', async (draft, state) => {
    await restoreNodes(project, draft, state, await removed(), id);
    await draftRemoval(project, draft, id);
  });
}

async function draftRemoval(project: OpenProject, draft: PlannedCommit, id: string): Promise<void> {
  const directory = trashDirectory(id);
  for (const name of (await directoryOf(project, directory)).keys()) draft.files.set(`${directory}/${name}`, null);
}
