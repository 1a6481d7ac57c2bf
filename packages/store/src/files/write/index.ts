import { forgetBookmarks } from '../annotations/loom-bookmarks.ts';
import { ConflictError, requireName } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { withDerived, withIncludeThinking } from '../format/node-file.ts';
import { patchedProject } from '../../find-projects.ts';
import { projectFileText, rootsText, ROOTS_FILE } from '../format/roots.ts';
import { readNode } from '../read/nodes.ts';
import type { Base } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import { directoryOf, projectFile } from '../state/places.ts';
import { childIdsOf, createState, entryOf, idsOf, openTurnOn } from '../state/project-state.ts';
import { keepProject } from '../trash/index.ts';
import { keepBranch } from '../trash/keep.ts';
import { rootsWith } from './changes.ts';
import { changeProject } from './change-project.ts';
import { addBranch, addNodes, changeBranch, createDraft, draftBranch, moveTip } from './project-change.ts';
import { requireFreePlace } from './place.ts';
import { removeNode, removeTurn } from './remove.ts';

type WriteMethods = Required<
  Pick<
    Store,
    | 'createProject'
    | 'updateProject'
    | 'deleteProject'
    | 'createBranch'
    | 'updateBranch'
    | 'deleteBranch'
    | 'moveTip'
    | 'appendNodes'
    | 'deleteNode'
    | 'deleteTurn'
    | 'setIncludeThinking'
    | 'rewriteDerived'
  >
>;

export function writeMethods(base: Base): WriteMethods {
  return {
    createProject: (project) =>
      base.exclusively(async () => {
        await requireFreePlace(base, project.id);
        const state = createState(structuredClone(project), directoryOf(project.id));
        const roots = rootsWith(base, state, []);
        await base.files.commit([
          { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
          { type: 'put', path: projectFile(state.directory), text: projectFileText(project) },
        ]);
        base.roots = roots;
        base.projects.set(project.id, state);
      }),
    updateProject: (id, patch, onlyIf) =>
      base.exclusively(async () => {
        const { state } = createDraft(projectOf(base, id));
        requireName(state.project.name, onlyIf);
        const project = patchedProject(state.project, structuredClone(patch));
        const roots = rootsWith(base, { ...state, project }, childIdsOf(state, null).map(idsOf(state).toLoom));
        await base.files.commit([
          { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
          { type: 'put', path: projectFile(state.directory), text: projectFileText(project) },
        ]);
        base.roots = roots;
        state.project = project;
        return project;
      }),
    deleteProject: async (id, ticket) => {
      await base.exclusively(async () => {
        const state = projectOf(base, id);
        const roots = base.roots.filter((root) => root.id !== id);
        state.leaving = true;
        try {
          if (ticket !== undefined) await keepProject(base, state, ticket);
          else
            await base.files.commit([
              { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
              { type: 'removeTree', path: state.directory },
            ]);
        } catch (error) {
          state.leaving = false;
          throw error;
        }
        base.roots = roots;
        base.projects.delete(id);
        if (ticket === undefined) await forgetBookmarks(base, [id]);
      });
      await base.cache.forgetProject(id);
      base.searchIndex.forgetProject(id);
    },
    createBranch: (branch) =>
      changeProject(base, branch.projectId, (draft) => addBranch(draft, structuredClone(branch))),
    updateBranch: (project, branch, patch) =>
      changeProject(base, project, (draft) => changeBranch(draft, branch, structuredClone(patch)).branch),
    deleteBranch: (project, branch, ticket) =>
      changeProject(base, project, (draft) => {
        draftBranch(draft, branch);
        const running = openTurnOn(draft.state, branch);
        if (running) {
          throw new ConflictError(
            'turn_running',
            'A turn is running on this branch. Wait for it or interrupt it first.',
            running.turn.id,
          );
        }
        draft.branches.set(branch, null);
        if (ticket !== undefined) keepBranch(base, draft, ticket, branch);
      }),
    moveTip: (project, branch, move) => changeProject(base, project, (draft) => moveTip(draft, branch, move)),
    appendNodes: (project, nodes, tip) =>
      changeProject(base, project, (draft) => {
        addNodes(draft, nodes);
        if (tip) moveTip(draft, tip.branchId, tip);
      }),
    deleteNode: async (project, node, mode, ticket) => {
      const removed = await changeProject(base, project, (draft) => removeNode(base, draft, node, mode, ticket));
      await base.cache.forget(project, removed);
      await base.searchIndex.forget(project, removed);
      return { removed };
    },
    deleteTurn: async (project, turn, mode, ticket) => {
      const removed = await changeProject(base, project, (draft) => removeTurn(base, draft, turn, mode, ticket));
      await base.cache.forget(project, removed);
      await base.searchIndex.forget(project, removed);
      return { removed };
    },
    setIncludeThinking: async (project, id, include) => {
      await changeProject(base, project, ({ state, edits, moved }) => {
        const entry = entryOf(state, id);
        edits.set(entry.id, (file) => withIncludeThinking(file, include));
        moved.set(entry.id, { ...entry, includeThinkingInContext: include });
      });
      const state = projectOf(base, project);
      return readNode(base, state, entryOf(state, id));
    },
    rewriteDerived: (project, nodes) =>
      changeProject(base, project, ({ state, edits, moved }) => {
        for (const { id, content, matchKey } of nodes) {
          moved.set(id, { ...entryOf(state, id), matchKey });
          edits.set(id, (file) => withDerived(file, content, matchKey));
        }
      }),
  };
}
