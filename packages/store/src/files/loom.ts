import { join } from 'node:path';
import type { Message, NodeId, ProjectId, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { NodeFile } from './format/node-file.ts';
import { isLegacyMessage, messageOfFile, withMessage, withTurn } from './format/node-file.ts';
import type { Store } from '../store.ts';
import { missingTurns } from '../upgrade.ts';
import { readNode, readNodeFileOf } from './read/nodes.ts';
import type { Base } from './state/base.ts';
import { projectOf } from './state/base.ts';
import type { NodeEntry, ProjectState } from './state/project-state.ts';
import { entryOf } from './state/project-state.ts';
import { changeProject } from './write/change-project.ts';

/** A node as Loom stores it, with its message in canonical form; null for an empty message, which has none. */
export type NormalizedNode = NodeFile & { readonly message: Message | null };

export interface LoomMethods {
  /** The node's own file, with its message normalised. */
  readonly loadNodeNormalized: (node: NodeId) => Promise<NormalizedNode>;
  /** Every matching node of the store, in the order of storage. */
  readonly findNodesNormalized: (fits: (node: NormalizedNode) => boolean) => Promise<readonly NormalizedNode[]>;
  /** Rewrites a project's old messages in canonical form; nothing else ever does. Returns the nodes that changed. */
  readonly rewriteLegacyMessages: (project: ProjectId) => Promise<readonly NodeId[]>;
}

export function loomMethods(base: Base): LoomMethods & Pick<Store, 'upgradeProject'> {
  return {
    upgradeProject: (project, { dryRun }) =>
      changeProject(base, project, async (draft) => {
        const { state } = draft;
        const legacy = await legacyNodes(base, state);
        const nodes: TreeNode[] = [];
        for (const entry of state.nodes.values()) nodes.push(await readNode(base, state, entry));
        const { turns, assignments } = missingTurns(project, nodes);
        const report = { messages: [...legacy.keys()], turns: turns.length, nodes: assignments.size };
        if (dryRun) return report;
        for (const turn of turns) draft.turns.set(turn.id, { turn, lease: null, clientRequestId: null, calls: [] });
        for (const id of new Set([...legacy.keys(), ...assignments.keys()])) {
          const message = legacy.get(id);
          const turn = assignments.get(id);
          if (turn !== undefined) draft.moved.set(id, { ...entryOf(state, id), turnId: turn });
          draft.edits.set(id, (file) => {
            const rewritten = message === undefined ? file : withMessage(file, message);
            return turn === undefined ? rewritten : withTurn(rewritten, turn);
          });
        }
        return report;
      }),
    loadNodeNormalized: async (node) => {
      for (const state of base.projects.values()) {
        if (state.nodes.has(node) || state.broken.has(node)) return load(base, state, entryOf(state, node));
      }
      throw new UnknownIdError('node', node);
    },
    findNodesNormalized: async (fits) => {
      const found: NormalizedNode[] = [];
      for (const state of base.projects.values()) {
        for (const entry of state.nodes.values()) {
          const node = await load(base, state, entry);
          if (fits(node)) found.push(node);
        }
      }
      return found;
    },
    rewriteLegacyMessages: (project) =>
      changeProject(base, project, async ({ edits }) => {
        const legacy = await legacyNodes(base, projectOf(base, project));
        for (const [id, message] of legacy) edits.set(id, (file) => withMessage(file, message));
        return [...legacy.keys()];
      }),
  };
}

async function load(base: Base, state: ProjectState, entry: NodeEntry): Promise<NormalizedNode> {
  const file = await readNodeFileOf(base, state, entry);
  return { ...file, message: messageOfFile(join(base.directory, entry.file), file) };
}

async function legacyNodes(base: Base, state: ProjectState): Promise<ReadonlyMap<NodeId, Message>> {
  const found = new Map<NodeId, Message>();
  for (const entry of state.nodes.values()) {
    const path = join(base.directory, entry.file);
    const file = await readNodeFileOf(base, state, entry);
    const message = isLegacyMessage(path, file) ? messageOfFile(path, file) : null;
    if (message) found.set(entry.id, message);
  }
  return found;
}
