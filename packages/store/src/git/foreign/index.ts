import type { ProjectId } from '@bough/core';
import { requireForeignName } from '../../foreign.ts';
import type { Store } from '../../store.ts';
import { writeJson } from '../meta/records.ts';
import { directoryOf } from '../operations/turn-files.ts';
import type { OpenProject } from '../project/open-project.ts';
import { documentsOfProject, FOREIGN, foreignFile, looseFilesOf } from './documents.ts';

export function foreignOperations(
  open: (id: ProjectId) => Promise<OpenProject>,
): Pick<Store, 'foreignDocuments' | 'replaceForeign'> & Required<Pick<Store, 'notKept'>> {
  return {
    foreignDocuments: async (id) => documentsOfProject(await open(id)),
    replaceForeign: async (id, documents) => {
      for (const { name } of documents) requireForeignName(name);
      const project = await open(id);
      await project.write('Keep documents of another program', async (draft) => {
        for (const file of (await directoryOf(project, FOREIGN)).keys()) draft.files.set(`${FOREIGN}/${file}`, null);
        for (const { name, holds, value } of documents)
          draft.files.set(foreignFile(name), writeJson({ name, holds, value }));
        return { result: undefined, apply: [] };
      });
    },
    notKept: async (id) => (await looseFilesOf(await open(id))).left,
  };
}
