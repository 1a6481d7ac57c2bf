import { requireName } from '../../errors.ts';
import { pageOfProjects, patchedProject, withoutUse } from '../../find-projects.ts';
import type { SearchIndex } from '../../on-disk/search-index/index.ts';
import type { TurnCache } from '../../on-disk/turn-cache/index.ts';
import type { Store } from '../../store.ts';
import { PROJECT_FILE } from '../meta/layout.ts';
import { writeProject } from '../meta/records.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import { objectId } from '../objects/object.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import { pathTree } from '../project/locate-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { ProjectState } from '../project/state.ts';
import type { Registry } from '../registry/registry.ts';

type ProjectMethods = Pick<
  Store,
  'createProject' | 'listProjects' | 'findProjects' | 'getProject' | 'updateProject' | 'deleteProject'
>;

export function projectOperations(registry: Registry, cache: TurnCache, searchIndex: SearchIndex): ProjectMethods {
  return {
    createProject: (project) => registry.create(project),
    listProjects: async () => (await registry.list()).map(withoutUse),
    findProjects: async (query) => pageOfProjects(await registry.list(), query),
    getProject: async (id) => (await registry.open(id)).state().project,
    updateProject: async (id, patch, onlyIf) => {
      const opened = await registry.open(id);
      return opened.write('Change the project', async (draft, state) => {
        requireName(state.project.name, onlyIf);
        const project = patchedProject(state.project, patch);
        const content = writeProject(project, state.file.order, state.file.fields);
        const fileBlob = objectId('blob', [content]);
        draft.files.set(PROJECT_FILE, content);
        const shown = await draftDefaultBranch(opened, draft, state, fileBlob);
        const told = (): void => {
          state.project = project;
          state.file = { ...state.file, project };
          state.fileBlob = fileBlob;
        };
        return { result: project, apply: [told, shown] };
      });
    },
    deleteProject: async (id, ticket) => {
      await registry.remove(id, ticket);
      await cache.forgetProject(id);
      searchIndex.forgetProject(id);
    },
  };
}

/**
 * Other branches pick up the project's new description with their next commit. The one that a plain clone shows gets it
 * now: a clone of nothing but the branches should not show an old name.
 */
async function draftDefaultBranch(
  { repository }: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  fileBlob: string,
): Promise<() => void> {
  const head = state.heads.get(state.defaultRef);
  if (head === undefined) return () => undefined;
  const { objects } = draft;
  const tree = await pathTree(repository, objects, { fileBlob }, head.tree, head.blob);
  const message = 'Change the project';
  const seconds = Math.floor(Date.now() / 1000);
  const commit = objects.add('commit', serializeCommit({ tree, parents: [head.commit], message }, seconds));
  draft.moves.push({ ref: head.ref, from: head.commit, to: commit });
  return () => state.heads.set(head.ref, { ...head, commit, tree });
}
