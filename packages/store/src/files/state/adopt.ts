import type { Branch, Envelope } from '@bough/core';
import { branchId } from '@bough/core';
import type { NodeEntry, ProjectState } from './project-state.ts';
import { DEFAULT_ENVELOPE } from '../../on-disk/default-envelope.ts';
import { childIdsOf } from './project-state.ts';

/**
 * Loom has no branches. A Loom project is shown with one, at the newest leaf and locked to the model that answered
 * last; it is written only when something else in the project is.
 */
export function adoptedBranch(state: ProjectState, defaults: Envelope = DEFAULT_ENVELOPE): Branch | null {
  const entries = [...state.nodes.values()];
  const leaf = newest(entries.filter(({ id }) => childIdsOf(state, id).length === 0));
  if (!leaf) return null;
  const reply = newest(entries.filter(({ provider, modelUsed }) => provider !== null && modelUsed !== null));
  return {
    id: branchId(`${state.project.id}/main`),
    projectId: state.project.id,
    name: 'main',
    tipId: leaf.id,
    forkedFromId: null,
    envelope: {
      provider: reply?.provider ?? defaults.provider,
      model: reply?.modelUsed ?? defaults.model,
      systemPrompt: state.project.systemPrompt,
      tools: [],
      thinking: 'off',
    },
    replayBy: 'issuer',
    keepToolsAfterBreak: false,
    pinned: false,
    hidden: false,
    color: null,
    createdAt: state.project.createdAt,
  };
}

function newest(entries: readonly NodeEntry[]): NodeEntry | undefined {
  return entries.reduce<NodeEntry | undefined>(
    (best, entry) => (best && best.order > entry.order ? best : entry),
    undefined,
  );
}
