import type { BlobHash, CallId, NodeId, TurnId } from '@bough/core';
import { nodeId } from '@bough/core';
import type { HandedUp, MovedPointer, TrashEntry, TrashTicket } from '../../trash.ts';
import { titleOf } from '../../trash.ts';
import { jsonText } from '../format/fields.ts';
import { besideOf } from '../annotations/beside.ts';
import { annotationsText, branchText, turnText } from '../format/sidecars.ts';
import { readNode } from '../read/nodes.ts';
import type { Base } from '../state/base.ts';
import { rawFile, renderingsFile } from '../state/places.ts';
import { branchOf, entryOf } from '../state/project-state.ts';
import type { ProjectChange } from '../write/project-change.ts';
import { entryFile, removedFile } from './places.ts';

/** What lies beside an entry: the files as they were, to the byte, and what the deletion moved. */
export interface Removed {
  readonly nodes: readonly { readonly file: string; readonly order: number; readonly text: string }[];
  readonly turns: readonly string[];
  /** The calls that were removed; those of a turn that stayed are only some of its. */
  readonly calls: readonly CallId[];
  readonly raws: readonly { readonly call: CallId; readonly text: string }[];
  readonly renderings: readonly { readonly node: NodeId; readonly text: string }[];
  readonly branches: readonly string[];
  readonly pointers: readonly MovedPointer[];
  readonly children: readonly HandedUp[];
  /** Absent in entries from before there were any. */
  readonly annotations?: readonly { readonly node: NodeId; readonly text: string }[];
  /** What its nodes refer to. Absent in entries from before there were blobs. */
  readonly blobs?: readonly BlobHash[];
}

const NOTHING: Removed = {
  nodes: [],
  turns: [],
  calls: [],
  raws: [],
  renderings: [],
  branches: [],
  pointers: [],
  children: [],
};

/** Puts what a draft removes into the trash, with the same change. The draft is complete, but not yet written. */
export async function keepNodes(
  base: Base,
  draft: ProjectChange,
  ticket: TrashTicket,
  turn: TurnId | null,
): Promise<void> {
  const { state, removed, moved, raws } = draft;
  const { directory } = state;
  const nodes = [...removed].map((id) => entryOf(state, id));
  const read = async (path: string): Promise<string> => (await base.files.read(path)) ?? '';
  const kept = await Promise.all(nodes.map(async ({ file, order }) => ({ file, order, text: await read(file) })));
  const turns = new Set(nodes.flatMap(({ turnId }) => turnId ?? []));
  if (turn !== null) turns.add(turn);
  const calls = [...raws.keys()];
  const keptRaws = await Promise.all(
    calls.map(async (call) => ({ call, text: await base.files.readCompressed(rawFile(directory, call)) })),
  );
  const rendered = nodes.filter(({ id }) => state.renderingFiles.has(id));
  const pointers = movedPointers(draft);
  const content: Removed = {
    ...NOTHING,
    nodes: kept,
    turns: [...turns].flatMap((id) => state.turns.get(id) ?? []).map(turnText),
    calls,
    raws: keptRaws.flatMap(({ call, text }) => (text === null ? [] : [{ call, text }])),
    renderings: await Promise.all(
      rendered.map(async ({ id }) => ({ node: id, text: await read(renderingsFile(directory, id)) })),
    ),
    annotations: nodes.flatMap(({ id }) => {
      const beside = besideOf(base, state, id);
      return beside.length === 0 ? [] : [{ node: id, text: annotationsText(id, beside) }];
    }),
    pointers,
    children: [...moved.values()].map(({ id, parentId }) => {
      const { parentId: from, matchKey } = entryOf(state, id);
      return { id, from: nodeId(from ?? ''), to: parentId, matchKey };
    }),
    blobs: [...new Set(nodes.flatMap(({ blobs }) => blobs))],
  };
  const [first] = nodes;
  const tips = pointers.filter(({ pointer }) => pointer === 'tip');
  file(base, draft, content, {
    ...ticket,
    kind: turn === null ? 'node' : 'turn',
    projectId: state.project.id,
    projectName: state.project.name,
    title: first === undefined ? '' : titleOf((await readNode(base, state, first)).content),
    messages: nodes.length,
    branches: tips.map(({ branchId: id, from, to }) => ({ id, name: branchOf(state, id).branch.name, from, to })),
  });
}

export function keepBranch(base: Base, draft: ProjectChange, ticket: TrashTicket, id: string): void {
  const { state } = draft;
  const kept = [...state.branches.values()].find(({ branch }) => branch.id === id);
  if (kept === undefined) return;
  file(
    base,
    draft,
    { ...NOTHING, branches: [branchText(kept)] },
    {
      ...ticket,
      kind: 'branch',
      projectId: state.project.id,
      projectName: state.project.name,
      title: kept.branch.name,
      messages: 0,
      branches: [],
    },
  );
}

function file(base: Base, draft: ProjectChange, removed: Removed, entry: TrashEntry): void {
  draft.besides.push(
    { type: 'put', path: removedFile(entry.id), text: JSON.stringify(removed), gzip: true },
    { type: 'put', path: entryFile(entry.id), text: jsonText(entry) },
  );
  draft.afterwards.push(() => base.trash.entries.set(entry.id, entry));
}

function movedPointers({ state, branches, removed }: ProjectChange): readonly MovedPointer[] {
  const found: MovedPointer[] = [];
  for (const [branch, changed] of branches) {
    const before = branchOf(state, branch).branch;
    const after = changed?.branch;
    if (after === undefined) continue;
    const { tipId, forkedFromId } = before;
    if (tipId !== null && removed.has(tipId))
      found.push({ branchId: branch, pointer: 'tip', from: tipId, to: after.tipId });
    if (forkedFromId !== null && removed.has(forkedFromId))
      found.push({ branchId: branch, pointer: 'fork', from: forkedFromId, to: after.forkedFromId });
  }
  return found;
}
