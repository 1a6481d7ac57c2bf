import type { Call, NodeId, RawResponse, Rendering, TreeNode } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import {
  callFile,
  isCallFile,
  rawFileOf,
  renderingDirectory,
  renderingFile,
  turnDirectory,
  type TurnPlace,
} from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { type PlannedCommit, nextNumber } from '../project/planned-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { ProjectState } from '../project/state.ts';
import { directoryOf } from './turn-files.ts';

interface NewCalls {
  readonly place: TurnPlace;
  /** Nodes stored in the same write. */
  readonly nodes: readonly TreeNode[];
  readonly calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[];
}

/** Puts calls and their raw responses into the draft, in the turn's directory. */
export async function draftCalls(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  { place, nodes, calls }: NewCalls,
): Promise<void> {
  if (calls.length === 0) return;
  const directory = turnDirectory(place);
  const taken = new Set([...(await directoryOf(project, directory)).keys()].filter(isCallFile).map(withoutNumber));
  const added = new Set(nodes.map(({ id }) => id));
  for (const { call, raw } of calls) {
    if (call.nodeId !== null && !added.has(call.nodeId)) state.index.get(call.nodeId);
    const name = callFile(nextNumber(draft), call.id);
    if (taken.has(withoutNumber(name))) {
      throw new ConflictError('id_taken', `There already is a call with the id "${call.id}".`, call.id);
    }
    taken.add(withoutNumber(name));
    draft.files.set(`${directory}/${name}`, writeJson(call));
    if (raw !== null) draft.files.set(`${directory}/${rawFileOf(name)}`, writeJson(raw));
  }
}

const withoutNumber = (name: string): string => name.slice(name.indexOf('-'));

/** Puts renderings into the draft. An existing one stays: it is what was sent. */
export async function draftRenderings(
  project: OpenProject,
  draft: PlannedCommit,
  state: ProjectState,
  nodes: readonly TreeNode[],
  renderings: readonly Rendering[],
): Promise<void> {
  const first = state.index.nextOrder();
  const orders = new Map<NodeId, number>(nodes.map(({ id }, place) => [id, first + place]));
  for (const rendering of renderings) {
    const order = orders.get(rendering.nodeId) ?? state.index.get(rendering.nodeId).order;
    const directory = renderingDirectory(rendering.nodeId, order);
    const name = renderingFile(rendering.nodeId, rendering.key);
    const path = `${directory}/${name}`;
    if (draft.files.has(path) || (await directoryOf(project, directory)).has(name)) continue;
    draft.files.set(path, writeJson(rendering));
  }
}
