import type { Branch, Call, NodeId, Project, RawResponse, Rendering, TreeNode, Turn } from '@bough/core';
import { BoughError, UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { ProjectRecord, Store } from '../../store.ts';
import {
  callFile,
  rawFileOf,
  renderingDirectory,
  renderingFile,
  TURN_FILE,
  turnDirectory,
  turnKey,
  type TurnPlace,
} from '../meta/layout.ts';
import { writeJson } from '../meta/records.ts';
import { settleDefaultRef } from '../project/default-ref.ts';
import { type PlannedCommit, nextNumber } from '../project/planned-commit.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { TipChange } from '../project/plan-heads.ts';
import type { ProjectState } from '../project/state.ts';
import type { Registry } from '../registry/registry.ts';
import { draftBranch, freeRef, requireFreeName } from './draft-branch.ts';
import { draftNodes, hasTurn } from './draft-nodes.ts';
import { draftOpenTurn } from './turns.ts';

/**
 * Imports into a repository that nobody sees yet, in one write. Calls, raw responses and renderings are written to the
 * disk as they come; nodes wait in memory for the whole tree, because a path is one file.
 */
export function importOperation(registry: Registry): Pick<Store, 'importProject'> {
  return {
    importProject: async (records) => {
      const source = records[Symbol.asyncIterator]();
      try {
        await registry.create(await firstOf(source), async (project) => {
          await project.write('Import the project', async (draft, state) => {
            const arrival = createArrival(project, draft, state);
            for (let next = await source.next(); !next.done; next = await source.next()) await arrival.take(next.value);
            return { result: undefined, apply: [await arrival.finish()] };
          });
          await settleDefaultRef(project);
        });
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

/** Bytes of objects that may accumulate before they are written. */
const WAITING_BYTES = 32 * 1024 * 1024;

interface Arrival {
  readonly take: (record: ProjectRecord) => Promise<void>;
  /**
   * Called after the last record: assembles the tree and the branches. Returns the update of the state for the nodes.
   */
  readonly finish: () => Promise<() => void>;
}

/**
 * The state learns of branches and turns as they come: if the import fails, the state is discarded with its repository.
 */
function createArrival(project: OpenProject, draft: PlannedCommit, state: ProjectState): Arrival {
  const nodes = new Map<NodeId, TreeNode>();
  const orders = new Map<NodeId, number>();
  const calls = new Set<string>();
  const pointers = new Set<NodeId>();
  const tips: TipChange[] = [];
  let waiting = 0;

  const put = async (path: string, value: unknown): Promise<void> => {
    const content = writeJson(value);
    draft.files.set(path, { blob: draft.objects.add('blob', content) });
    waiting += content.length;
    if (waiting < WAITING_BYTES) return;
    await draft.objects.flush();
    waiting = 0;
  };

  const takeBranch = (branch: Branch): void => {
    if (state.branches.has(branch.id)) throw twice('branch', branch.id);
    requireFreeName(state, branch.name);
    const { tipId, projectId: _, ...fields } = branch;
    for (const id of [tipId, branch.forkedFromId]) if (id !== null) pointers.add(id);
    const ref = freeRef(state, branch.name);
    tips.push({ ref, head: null, next: tipId });
    draftBranch(draft, state, null, { ...fields, ref, order: nextNumber(draft) })();
  };

  const takeTurn = async (turn: Turn): Promise<void> => {
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
    if (nodes.has(node.id)) throw twice('node', node.id);
    orders.set(node.id, nodes.size);
    nodes.set(node.id, node);
  };

  const takeCall = async (call: Call, raw: RawResponse | null): Promise<void> => {
    const place = known(state.turns, 'turn', turnKey(call.turnId), call.turnId);
    if (call.nodeId !== null) known(nodes, 'node', call.nodeId);
    if (calls.has(call.id)) throw twice('call', call.id);
    calls.add(call.id);
    const file = `${turnDirectory(place)}/${callFile(nextNumber(draft), call.id)}`;
    await put(file, call);
    if (raw !== null) await put(rawFileOf(file), raw);
  };

  const takeRendering = async (rendering: Rendering): Promise<void> => {
    const directory = renderingDirectory(rendering.nodeId, known(orders, 'node', rendering.nodeId));
    await put(`${directory}/${renderingFile(rendering.nodeId, rendering.key)}`, rendering);
  };

  return {
    take: async (record) => {
      switch (record.type) {
        case 'project':
          throw new BoughError('invalid_import', 'An import holds one project.');
        case 'branch':
          return takeBranch(record.value);
        case 'turn':
          return takeTurn(record.value);
        case 'node':
          return takeNode(record.value);
        case 'call':
          return takeCall(record.value, record.raw);
        case 'rendering':
          return takeRendering(record.value);
      }
    },
    finish: async () => {
      for (const id of pointers) known(nodes, 'node', id);
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
