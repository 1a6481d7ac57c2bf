import type { NodeId, TreeNode } from '@bough/core';
import { stableDeepEqual } from '@bough/core';
import type { ProjectRecord } from '../../store.ts';
import { PROJECT_FILE } from '../meta/layout.ts';
import { readProject, writeJson, writeProject } from '../meta/records.ts';
import { objectId } from '../objects/object.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { PlannedCommit } from '../project/planned-commit.ts';
import type { ProjectState } from '../project/state.ts';
import type { Arriving } from './arrival.ts';
import { deleteNodeOperation } from './delete-node.ts';

const WAITING_BYTES = 32 * 1024 * 1024;

/** All records, to be looked at before any is stored. Raw responses are written to the disk as they come. */
export async function gathered(project: OpenProject, records: AsyncIterable<ProjectRecord>): Promise<Arriving[]> {
  const objects = project.repository.newObjects();
  const all: Arriving[] = [];
  let waiting = 0;
  for await (const record of records) {
    if (record.type !== 'call') {
      all.push(record);
      continue;
    }
    const content = record.raw === null ? null : writeJson(record.raw);
    all.push({
      type: 'stored call',
      value: record.value,
      raw: content === null ? null : objects.add('blob', content),
    });
    waiting += content?.length ?? 0;
    if (waiting < WAITING_BYTES) continue;
    await objects.flush();
    waiting = 0;
  }
  await objects.flush();
  return all;
}

/**
 * Makes a restored repository agree with the records: what was deleted since is removed from it. False where they tell
 * different stories; then the repository is of no use.
 */
export async function agrees(project: OpenProject, records: readonly Arriving[]): Promise<boolean> {
  const nodes = new Map(records.flatMap((record) => (record.type === 'node' ? [[record.value.id, record.value]] : [])));
  const turns = new Set(records.flatMap((record) => (record.type === 'turn' ? [record.value.id] : [])));
  await removeGone(project, nodes);
  const { index, oldTurns } = project.state();
  for (const id of oldTurns.keys()) if (!turns.has(id)) return false;
  for (const node of await project.nodes.read(index.all())) {
    const wanted = nodes.get(node.id);
    if (wanted === undefined || !isSame(node, wanted)) return false;
  }
  return true;
}

async function removeGone(project: OpenProject, nodes: ReadonlyMap<NodeId, TreeNode>): Promise<void> {
  const { deleteNode } = deleteNodeOperation(() => Promise.resolve(project), NOTHING, NOTHING);
  for (const { id } of project.state().index.all()) {
    // A removal reads everything again: what it took along is gone already.
    if (nodes.has(id) || project.state().index.find(id) === undefined) continue;
    await deleteNode(project.id, id, 'reparent');
  }
}

/** Nothing of a project that nobody has seen yet is cached or indexed. */
const NOTHING = { forget: () => Promise.resolve() };

function isSame(stored: TreeNode, wanted: TreeNode): boolean {
  const { contentBlocks, includeThinkingInContext: _, ...fields } = stored;
  const { contentBlocks: blocks, includeThinkingInContext: __, ...others } = wanted;
  return stableDeepEqual(fields, others) && JSON.stringify(contentBlocks) === JSON.stringify(blocks);
}

/** Takes back every ref of a repository that is of no use: its objects go with the next packing. */
export async function forgetRefs(project: OpenProject): Promise<void> {
  await project.rewrite('Forget what does not fit', (draft, state) => {
    for (const { ref, commit } of state.heads.values()) draft.moves.push({ ref, from: commit, to: null });
    return Promise.resolve();
  });
}

/** What ResearchTree wrote about the project stays in the file that Bough shares with it. */
export async function keepFields(project: OpenProject, draft: PlannedCommit, state: ProjectState): Promise<void> {
  // Its work tree is checked out when everything else is there.
  state.isShared = true;
  const head = state.heads.get(state.defaultRef);
  const blob = head && (await project.repository.readTree(head.tree)).get(PROJECT_FILE)?.oid;
  if (blob === undefined) return;
  const { fields } = readProject(await project.repository.readBlob(blob), PROJECT_FILE);
  const content = writeProject(state.project, state.file.order, fields);
  draft.files.set(PROJECT_FILE, content);
  draft.objects.add('blob', content);
  state.fileBlob = objectId('blob', [content]);
  state.file = { ...state.file, fields };
}
