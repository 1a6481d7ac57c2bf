import type { ForeignDocument } from '../../foreign.ts';
import { byName, requireForeignName } from '../../foreign.ts';
import type { Store } from '../../store.ts';
import type { Base, ReadableBase } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import type { ProjectState } from '../state/project-state.ts';
import { changeProject } from '../write/change-project.ts';
import { leftIn } from './left.ts';
import { LOOM_ROOT, loomDocuments } from './loom-documents.ts';
import { foreignFile, foreignText, storedDocuments } from './stored.ts';

export function foreignMethods(base: Base): Pick<Store, 'foreignDocuments' | 'replaceForeign' | 'notKept'> {
  return {
    foreignDocuments: async (project) => documentsOf(base, projectOf(base, project)),
    notKept: async (project) => leftIn(base.directory, projectOf(base, project).directory),
    replaceForeign: async (project, documents) => {
      for (const { name } of documents) requireForeignName(name);
      const copies = structuredClone(documents);
      await changeProject(base, project, ({ state, besides, afterwards }) => {
        const files = new Map(copies.map((one) => [foreignFile(state.directory, one.name), foreignText(one)]));
        for (const path of state.foreign) if (!files.has(path)) besides.push({ type: 'delete', path });
        for (const [path, text] of files) besides.push({ type: 'put', path, text });
        afterwards.push(() => {
          state.foreign.clear();
          for (const path of files.keys()) state.foreign.add(path);
        });
      });
    },
  };
}

/** Those that were brought, and what Loom wrote into the project's own files. */
export async function documentsOf(base: ReadableBase, state: ProjectState): Promise<readonly ForeignDocument[]> {
  const found = [...(await storedDocuments(base, state))];
  if (!found.some(({ name }) => name === LOOM_ROOT))
    for await (const document of loomDocuments(base, state, state.root)) found.push(document);
  return found.sort(byName);
}
