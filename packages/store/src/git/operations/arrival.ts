import type { Annotation, Branch, BranchId, Call, NodeId, RawResponse, Rendering, TreeNode, Turn } from '@bough/core';
import { annotationKey, BoughError, requireAnnotation, stableDeepEqual, UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { ForeignDocument } from '../../foreign.ts';
import { requireForeignName } from '../../foreign.ts';
import type { ProjectRecord } from '../../store.ts';
import { foreignFile } from '../foreign/documents.ts';
import { writeAnnotations } from '../annotations/read.ts';
import {
  annotationsFile,
  callFile,
  rawFileOf,
  renderingDirectory,
  renderingFile,
  THINKING_FILE,
  TURN_FILE,
  turnDirectory,
  turnKey,
  type TurnPlace,
} from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { type PlannedCommit, nextNumber } from '../project/planned-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { TipChange } from '../project/plan-heads.ts';
import { headOf, type ProjectState } from '../project/state.ts';
import { draftBranch, freeRef, requireFreeName } from './draft-branch.ts';
import { draftNodes, hasTurn } from './draft-nodes.ts';
import { draftOpenTurn } from './turns.ts';

/** A record, or a call whose raw response is an object of the repository already. */
export type Arriving =
  | ProjectRecord
  | { readonly type: 'stored call'; readonly value: Call; readonly raw: string | null };

/** Bytes of objects that may accumulate before they are written. */
const WAITING_BYTES = 32 * 1024 * 1024;

export interface Arrival {
  readonly take: (record: Arriving) => Promise<void>;
  /**
   * Called after the last record: assembles the tree and the branches. Returns the update of the state for the nodes.
   */
  readonly finish: () => Promise<() => void>;
}

/**
 * The state learns of branches and turns as they come: if the import fails, the state is discarded with its repository.
 * What the repository holds already, because it was restored, is not stored again.
 */
export function createArrival(project: OpenProject, draft: PlannedCommit, state: ProjectState): Arrival {
  const nodes = new Map<NodeId, TreeNode>();
  const orders = new Map<NodeId, number>();
  const switches = new Map<NodeId, boolean>();
  const calls = new Set<string>();
  const pointers = new Set<NodeId>();
  const annotations = new Map<NodeId, readonly Annotation[]>();
  const tips: TipChange[] = [];
  const restored = new Map(state.branches);
  const first = state.index.nextOrder();
  let waiting = 0;

  const put = async (path: string, value: unknown): Promise<void> => {
    const content = writeJson(value);
    draft.files.set(path, { blob: draft.objects.add('blob', content) });
    waiting += content.length;
    if (waiting < WAITING_BYTES) return;
    await draft.objects.flush();
    waiting = 0;
  };

  const takeForeign = async ({ name, holds, value }: ForeignDocument): Promise<void> => {
    requireForeignName(name);
    const path = foreignFile(name);
    if (draft.files.has(path)) throw twice('document', name);
    await put(path, { name, holds, value });
  };

  const takeBranch = (branch: Branch): void => {
    if (!restored.has(branch.id) && state.branches.has(branch.id)) throw twice('branch', branch.id);
    // A branch that Bough made has another id than its ref suggests.
    const before = restored.get(branch.id) ?? [...restored.values()].find(({ name }) => name === branch.name);
    if (before !== undefined) restored.delete(before.id);
    const { tipId, projectId: _, ...fields } = branch;
    for (const id of [tipId, branch.forkedFromId]) if (id !== null) pointers.add(id);
    const order = nextNumber(draft);
    if (before?.name === branch.name) {
      const head = headOf(state, before.ref);
      const stays = head.tip === tipId;
      if (!stays) tips.push({ ref: before.ref, head, next: tipId });
      const previousResponseId = stays ? (before.previousResponseId ?? null) : null;
      draftBranch(draft, state, before, { ...fields, ref: before.ref, order, previousResponseId })();
      return;
    }
    if (before !== undefined) forget(before.id);
    requireFreeName(state, branch.name);
    const ref = freeRef(state, branch.name);
    tips.push({ ref, head: null, next: tipId });
    draftBranch(draft, state, null, { ...fields, ref, order })();
  };

  const forget = (id: BranchId): void => {
    const gone = state.branches.get(id);
    if (gone === undefined) return;
    tips.push({ ref: gone.ref, head: headOf(state, gone.ref), next: undefined });
    draftBranch(draft, state, gone, null)();
  };

  const takeTurn = async (turn: Turn): Promise<void> => {
    // Read from the lines of the repository itself; one that is no longer what they say is stored like any other.
    const old = state.oldTurns.get(turn.id)?.turn;
    if (stableDeepEqual(old ?? null, turn)) return;
    if (old !== undefined) state.oldTurns = new Map([...state.oldTurns].filter(([id]) => id !== turn.id));
    if (hasTurn(state, turn.id)) throw twice('turn', turn.id);
    const place: TurnPlace = { number: nextNumber(draft), key: turnKey(turn.id), request: null };
    state.turns.set(place.key, place);
    if (turn.status === 'running' || turn.status === 'awaiting_approval') {
      draftOpenTurn(draft, state, { turn, number: place.number, clientRequestId: null, owner: null, leaseUntil: 0 })();
    } else {
      await put(`${turnDirectory(place)}/${TURN_FILE}`, { turn, clientRequestId: null });
    }
  };

  const takeNode = (node: TreeNode): void => {
    if (orders.has(node.id)) throw twice('node', node.id);
    const there = state.index.find(node.id);
    if (there !== undefined) {
      orders.set(node.id, there.order);
      if (there.includeThinkingInContext !== node.includeThinkingInContext)
        switches.set(node.id, node.includeThinkingInContext);
      return;
    }
    orders.set(node.id, first + nodes.size);
    nodes.set(node.id, node);
  };

  const takeCall = async (call: Call, raw: RawResponse | { readonly blob: string } | null): Promise<void> => {
    if (state.oldTurns.has(call.turnId)) return;
    const place = known(state.turns, 'turn', turnKey(call.turnId), call.turnId);
    if (call.nodeId !== null) known(orders, 'node', call.nodeId);
    if (calls.has(call.id)) throw twice('call', call.id);
    calls.add(call.id);
    const file = `${turnDirectory(place)}/${callFile(nextNumber(draft), call.id)}`;
    await put(file, call);
    if (raw === null) return;
    if ('blob' in raw) draft.files.set(rawFileOf(file), raw);
    else await put(rawFileOf(file), raw);
  };

  const takeRendering = async (rendering: Rendering): Promise<void> => {
    const directory = renderingDirectory(rendering.nodeId, known(orders, 'node', rendering.nodeId));
    await put(`${directory}/${renderingFile(rendering.nodeId, rendering.key)}`, rendering);
  };

  const takeAnnotation = (annotation: Annotation): void => {
    requireAnnotation(annotation);
    const { nodeId } = annotation;
    known(orders, 'node', nodeId);
    const beside = annotations.get(nodeId) ?? [];
    if (beside.some((one) => annotationKey(one) === annotationKey(annotation)))
      throw twice('annotation', annotationKey(annotation));
    annotations.set(nodeId, [...beside, annotation]);
  };

  return {
    take: async (record) => {
      switch (record.type) {
        case 'project':
          throw new BoughError('invalid_import', 'An import holds one project.');
        case 'foreign':
          return takeForeign(record.value);
        case 'branch':
          return takeBranch(record.value);
        case 'turn':
          return takeTurn(record.value);
        case 'node':
          return takeNode(record.value);
        case 'call':
          return takeCall(record.value, record.raw);
        case 'stored call':
          return takeCall(record.value, record.raw === null ? null : { blob: record.raw });
        case 'rendering':
          return takeRendering(record.value);
        case 'annotation':
          return takeAnnotation(record.value);
      }
    },
    finish: async () => {
      for (const id of restored.keys()) forget(id);
      for (const id of pointers) known(orders, 'node', id);
      state.annotations.clear();
      for (const [id, beside] of annotations) {
        state.annotations.set(id, beside);
        draft.files.set(annotationsFile(id), writeAnnotations(id, beside));
      }
      if (switches.size > 0) {
        for (const [id, include] of switches) state.includeThinking.set(id, include);
        draft.files.set(THINKING_FILE, writeJson(Object.fromEntries(state.includeThinking)));
      }
      return draftNodes(project, draft, state, [...nodes.values()], tips);
    },
  };
}

function twice(kind: string, id: string): ConflictError {
  return new ConflictError('id_taken', `The import holds the ${kind} "${id}" twice.`, id);
}

function known<Key extends string, T>(values: ReadonlyMap<Key, T>, kind: string, key: Key, id: string = key): T {
  const value = values.get(key);
  if (value === undefined) throw new UnknownIdError(kind, id);
  return value;
}
