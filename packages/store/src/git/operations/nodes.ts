import type { NodeId, ProjectId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Store } from '../../store.ts';
import { THINKING_FILE } from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { branchRecord } from '../project/state.ts';
import type { IndexedNode } from '../tree/node-index.ts';
import { forgetResponse, requireTip } from './draft-branch.ts';
import { draftNodes } from './draft-nodes.ts';

type Nodes = Pick<
  Store,
  'findNode' | 'findTrail' | 'getNodes' | 'path' | 'children' | 'findChild' | 'appendNodes' | 'setIncludeThinking'
>;

export interface Projects {
  readonly open: (id: ProjectId) => Promise<OpenProject>;
  /** Every project that can be opened, one after the other, those in memory first. */
  readonly each: () => AsyncIterable<OpenProject>;
}

interface ByTrail extends Projects {
  /** The projects that may have any of these trails. */
  readonly withTrails: (trails: readonly string[]) => AsyncIterable<OpenProject>;
}

export function nodeOperations({ open, each, withTrails }: ByTrail): Nodes {
  return {
    findNode: async (id) => {
      for await (const project of each()) {
        const node = project.state().index.find(id);
        if (node) return readOne(project, node);
      }
      throw new UnknownIdError('node', id);
    },

    findTrail: async (trails, id) => {
      const projects: OpenProject[] = [];
      if (id !== undefined) projects.push(await open(id));
      else for await (const project of withTrails(trails)) projects.push(project);
      for (const trail of trails) {
        const newest = projects.flatMap((project) => {
          const node = project.state().index.findTrail(trail);
          return node === undefined ? [] : [{ project, node }];
        });
        // Between projects, the times of their nodes decide.
        const [first] = newest.sort((a, b) => (a.node.createdAt < b.node.createdAt ? 1 : -1));
        if (first !== undefined) return readOne(first.project, first.node);
      }
      return null;
    },

    getNodes: async (id, nodes) => {
      const project = await open(id);
      const { index } = project.state();
      return project.nodes.read(nodes.map((node) => index.get(node)));
    },

    path: async (id, node) => {
      const project = await open(id);
      return project.nodes.readPath(project.state().index.path(node));
    },

    children: async (id, node) => {
      const project = await open(id);
      return project.nodes.read(childrenOf(project, node));
    },

    findChild: async (id, parent, matchKey) => {
      const project = await open(id);
      const child = childrenOf(project, parent).find((node) => node.matchKey === matchKey);
      return child ? readOne(project, child) : null;
    },

    appendNodes: async (id, nodes, tip) => {
      const project = await open(id);
      await project.write('Add nodes', async (draft, state) => {
        const tips = tip ? [requireTip(state, branchRecord(state, tip.branchId), tip)] : [];
        const forgotten = tip ? forgetResponse(draft, state, branchRecord(state, tip.branchId)) : [];
        return { result: undefined, apply: [await draftNodes(project, draft, state, nodes, tips), ...forgotten] };
      });
    },

    setIncludeThinking: async (id, node, include) => {
      const project = await open(id);
      await project.write(include ? 'Include thinking' : 'Leave thinking out', async (draft, state) => {
        state.index.get(node);
        const switches = new Map(state.includeThinking).set(node, include);
        draft.files.set(THINKING_FILE, writeJson(Object.fromEntries(switches)));
        return { result: undefined, apply: [() => state.includeThinking.set(node, include)] };
      });
      return readOne(project, project.state().index.get(node));
    },
  };
}

/** In the order of storage. */
function childrenOf(project: OpenProject, node: NodeId | null): readonly IndexedNode[] {
  const { index } = project.state();
  return node === null ? index.children(null) : index.children(index.get(node).id);
}

async function readOne(project: OpenProject, node: IndexedNode) {
  const [read] = await project.nodes.read([node]);
  if (read === undefined) throw new UnknownIdError('node', node.id);
  return read;
}
