import { dirname } from 'node:path';
import type { Project } from '@bough/core';
import { BoughError } from '@bough/core';
import type { ForeignDocument } from '../../foreign.ts';
import type { ProjectRecord, Store } from '../../store.ts';
import { returnStars } from '../annotations/stars.ts';
import type { RepositoryDocument } from '../foreign/documents.ts';
import { checkOut, repositoryOf, restoreRepository } from '../foreign/restore.ts';
import { settleDefaultRef } from '../project/default-ref.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { Registry } from '../registry/registry.ts';
import type { Arriving } from './arrival.ts';
import { createArrival } from './arrival.ts';
import { agrees, forgetRefs, gathered, keepFields } from './restored.ts';

/**
 * Imports into a repository that nobody sees yet, in one write. Calls, raw responses and renderings are written to the
 * disk as they come; nodes wait in memory for the whole tree, because a path is one file.
 */
export function importOperation(registry: Registry, own: string): Pick<Store, 'importProject'> {
  return {
    importProject: async (records) => {
      const source = records[Symbol.asyncIterator]();
      try {
        const first = await firstOf(source);
        const { documents, rest } = await documentsOf(source);
        const original = repositoryOf(first.id, documents);
        let isRestored = false;
        const restore = async (directory: string): Promise<void> => {
          isRestored = original !== null && (await restoreRepository(directory, own, original, documents));
        };
        await registry.create(first, restore, (project) =>
          isRestored && original !== null
            ? fillRestored(project, original, documents, rest)
            : fill(project, documents, rest),
        );
      } finally {
        await source.return?.();
      }
    },
  };
}

async function firstOf(source: AsyncIterator<ProjectRecord>): Promise<Project> {
  const first = await source.next();
  if (!first.done && first.value.type === 'project') return first.value.value;
  throw new BoughError('invalid_import', 'An import begins with the record of its project.');
}

/** Documents come right after the project: they decide how it is stored. */
async function documentsOf(
  source: AsyncIterator<ProjectRecord>,
): Promise<{ readonly documents: readonly ForeignDocument[]; readonly rest: AsyncIterable<ProjectRecord> }> {
  const documents: ForeignDocument[] = [];
  let next = await source.next();
  for (; !next.done && next.value.type === 'foreign'; next = await source.next()) documents.push(next.value.value);
  const rest = async function* (): AsyncIterable<ProjectRecord> {
    for (; !next.done; next = await source.next()) yield next.value;
  };
  return { documents, rest: rest() };
}

async function fill(
  project: OpenProject,
  documents: readonly ForeignDocument[],
  records: AsyncIterable<Arriving> | Iterable<Arriving>,
  isRestored = false,
): Promise<void> {
  await project.write('Import the project', async (draft, state) => {
    if (isRestored) await keepFields(project, draft, state);
    const arrival = createArrival(project, draft, state);
    for (const value of documents) await arrival.take({ type: 'foreign', value });
    for await (const record of records) await arrival.take(record);
    return { result: undefined, apply: [await arrival.finish()] };
  });
  await settleDefaultRef(project);
  await returnStars(project);
}

async function fillRestored(
  project: OpenProject,
  original: RepositoryDocument,
  documents: readonly ForeignDocument[],
  records: AsyncIterable<ProjectRecord>,
): Promise<void> {
  const all = await gathered(project, records);
  const fits = await agrees(project, all);
  if (!fits) await forgetRefs(project);
  await fill(project, documents, all, fits);
  if (fits) await checkOut(project, dirname(project.repository.gitDir), original.files);
}
