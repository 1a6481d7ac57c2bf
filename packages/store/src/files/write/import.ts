import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Annotation, BranchId, Call, NodeId, Project, TreeNode, TurnId } from '@bough/core';
import { annotationKey, blobsOf, BoughError, nodeId, requireAnnotation, UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { Gathering } from '../../gather.ts';
import type { ProjectRecord, Store } from '../../store.ts';
import { diskTrouble, eachOf, syncDirectory, writeNew } from '../../on-disk/disk/index.ts';
import { isOwn, loomBookmark } from '../annotations/beside.ts';
import { fileOfNode, nodeFileText } from '../format/node-file.ts';
import { projectFileText, rootOfProject } from '../format/roots.ts';
import type { BranchFile, TurnFile } from '../format/sidecars.ts';
import { annotationsText, branchText, rawText, renderingsText, turnText } from '../format/sidecars.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';
import type { Base } from '../state/base.ts';
import {
  annotationsFile,
  branchFile,
  loomIdOf,
  nodeFileOf,
  projectFile,
  rawFile,
  renderingsFile,
  turnFile,
} from '../state/places.ts';
import type { Prepared } from './adopt.ts';
import { adoptTogether } from './adopt.ts';
import { requireFreePlace } from './place.ts';
import type { ForeignDocument } from '../../foreign.ts';
import { requireForeignName } from '../../foreign.ts';
import type { LoomOriginal } from '../foreign/loom-documents.ts';
import { isLoomDocument, loomOriginal } from '../foreign/loom-documents.ts';
import { childrenOf as orderedAs, loomFile } from '../foreign/restore.ts';
import { foreignFile, foreignText } from '../foreign/stored.ts';
import type { LoomIds } from '../format/loom-form.ts';

const compress = promisify(gzip);
const WRITERS = 8;

/** Unfinished imports: anything here when the store opens was never completed. */
export const INCOMING = `${OWN_DIRECTORY}/incoming`;

/**
 * A project being read. Nodes stay in memory, because Loom's files list children; raw is written to the disk at once.
 */
interface Incoming {
  readonly project: Project;
  readonly branches: Map<BranchId, BranchFile>;
  readonly turns: Map<TurnId, TurnFile>;
  readonly nodes: Map<NodeId, TreeNode>;
  readonly renderings: Map<NodeId, Map<string, string>>;
  readonly foreign: Map<string, ForeignDocument>;
  readonly annotations: Map<string, Annotation>;
}

export function importMethods(base: Base): Pick<Store, 'importProject'> {
  const adoption = adoptTogether(base);
  return { importProject: (records) => importProject(base, adoption, records) };
}

/** Prepares the whole project in a directory of its own, then moves it into place in one step. */
async function importProject(
  base: Base,
  adoption: Gathering<Prepared>,
  records: AsyncIterable<ProjectRecord>,
): Promise<void> {
  const from = `${INCOMING}/${randomUUID()}`;
  const directories = new Set([join(base.directory, INCOMING), join(base.directory, from)]);
  const made = new Map<string, Promise<unknown>>();
  const write = async (path: string, data: string | Uint8Array): Promise<void> => {
    const target = join(base.directory, from, path);
    const directory = dirname(target);
    const making = made.get(directory) ?? mkdir(directory, { recursive: true, mode: base.modes.directory });
    made.set(directory, making);
    await making;
    directories.add(directory).add(dirname(directory));
    await writeNew(target, data, base.modes);
  };
  try {
    const incoming = await receive(base, records, write);
    await prepare(base, incoming, write);
    await eachOf([...directories], WRITERS, syncDirectory);
    await adoption.give(preparedOf(base, incoming, from));
  } catch (error) {
    throw diskTrouble(join(base.directory, from), error);
  } finally {
    await rm(join(base.directory, from), { recursive: true, force: true });
  }
}

type Write = (path: string, data: string | Uint8Array) => Promise<void>;

async function receive(base: Base, records: AsyncIterable<ProjectRecord>, write: Write): Promise<Incoming> {
  let incoming: Incoming | null = null;
  for await (const record of records) {
    if (record.type === 'project') {
      if (incoming) throw unfit('It holds two projects.');
      await requireFreePlace(base, record.value.id);
      incoming = {
        project: record.value,
        branches: new Map(),
        turns: new Map(),
        nodes: new Map(),
        renderings: new Map(),
        foreign: new Map(),
        annotations: new Map(),
      };
    } else if (!incoming) throw unfit('It must begin with a project.');
    else if (record.type === 'call') {
      addCall(incoming, record.value, record.raw !== null);
      if (record.raw) await write(rawFile('.', record.value.id), await compress(rawText(record.raw)));
    } else add(incoming, record);
  }
  if (!incoming) throw unfit('It is empty.');
  for (const { branch } of incoming.branches.values()) if (branch.tipId !== null) requireNode(incoming, branch.tipId);
  return incoming;
}

function add(incoming: Incoming, record: Exclude<ProjectRecord, { type: 'project' | 'call' }>): void {
  const { branches, turns, nodes, renderings } = incoming;
  switch (record.type) {
    case 'branch': {
      const branch = record.value;
      for (const other of branches.values()) {
        if (other.branch.name === branch.name) throw unfit(`Two branches have the name "${branch.name}".`);
      }
      addOnce(branches, branch.id, { branch, order: branches.size + 1 });
      return;
    }
    case 'foreign':
      requireForeignName(record.value.name);
      addOnce(incoming.foreign, record.value.name, record.value);
      return;
    case 'turn':
      addOnce(turns, record.value.id, { turn: record.value, lease: null, clientRequestId: null, calls: [] });
      return;
    case 'node': {
      const node = record.value;
      if (node.parentId !== null) requireNode(incoming, node.parentId);
      if (node.turnId !== null && !turns.has(node.turnId)) throw new UnknownIdError('turn', node.turnId);
      addOnce(nodes, node.id, node);
      return;
    }
    case 'annotation':
      requireAnnotation(record.value);
      requireNode(incoming, record.value.nodeId);
      addOnce(incoming.annotations, annotationKey(record.value), record.value);
      return;
    case 'rendering': {
      const { nodeId, key, bytes } = record.value;
      requireNode(incoming, nodeId);
      renderings.set(nodeId, (renderings.get(nodeId) ?? new Map<string, string>()).set(key, bytes));
    }
  }
}

function addCall(incoming: Incoming, call: Call, hasRaw: boolean): void {
  const turn = incoming.turns.get(call.turnId);
  if (!turn) throw new UnknownIdError('turn', call.turnId);
  if (call.nodeId !== null) requireNode(incoming, call.nodeId);
  incoming.turns.set(call.turnId, { ...turn, calls: [...turn.calls, { call, hasRaw }] });
}

function addOnce<Id extends string, T>(map: Map<Id, T>, id: Id, value: T): void {
  if (map.has(id)) throw new ConflictError('id_taken', `The import holds the id "${id}" twice.`, id);
  map.set(id, value);
}

function requireNode({ nodes }: Incoming, id: NodeId): void {
  if (!nodes.has(id)) throw new UnknownIdError('node', id);
}

const unfit = (problem: string): BoughError =>
  new BoughError('invalid_import', `This is not a whole project. ${problem}`);

async function prepare(base: Base, incoming: Incoming, write: Write): Promise<void> {
  const { project, branches, turns, nodes, renderings, foreign } = incoming;
  await write(projectFile('.'), projectFileText(project));
  await eachOf([...branches.values()], WRITERS, (file) => write(branchFile('.', file.branch.id), branchText(file)));
  await eachOf([...turns.values()], WRITERS, (file) => write(turnFile('.', file.turn.id), turnText(file)));
  await eachOf([...renderings], WRITERS, ([nodeId, ofNode]) =>
    write(renderingsFile('.', nodeId), renderingsText({ nodeId, renderings: ofNode })),
  );
  for (const id of new Set([...incoming.annotations.values()].map(({ nodeId: beside }) => beside))) {
    const beside = [...incoming.annotations.values()].filter((one) => one.nodeId === id && isOwn(base, one));
    if (beside.length > 0) await write(annotationsFile('.', id), annotationsText(id, beside));
  }
  const children = childrenOf(nodes);
  const files = placesOf(incoming);
  const ids = loomIdsOf(project, files);
  const original = originalOf(incoming);
  for (const document of foreign.values())
    if (original === null || !isLoomDocument(document))
      await write(foreignFile('.', document.name), foreignText(document));
  await eachOf([...files.values()], WRITERS, async ({ file, node, order }) => {
    const childIds = children.get(node.id) ?? [];
    const content = loomFile(original, node, childIds, project.id) ?? fileOfNode(node, order, childIds, null);
    await write(file, nodeFileText(content, ids));
  });
}

const originalOf = ({ project, foreign }: Incoming): LoomOriginal | null =>
  loomOriginal(project.id, [...foreign.values()]);

interface Place {
  readonly file: string;
  readonly node: TreeNode;
  readonly order: number;
}

function placesOf({ project, nodes }: Incoming): ReadonlyMap<NodeId, Place> {
  const taken = new Set<string>();
  const places = new Map<NodeId, Place>();
  for (const node of nodes.values()) {
    const file = nodeFileOf('.', project.id, node.id, (name) => taken.has(name));
    taken.add(file);
    places.set(node.id, { file, node, order: places.size + 1 });
  }
  return places;
}

/** Written once, never read here. */
function loomIdsOf({ id: project }: Project, files: ReadonlyMap<NodeId, Place>): LoomIds {
  const toLoom = (id: string): string => {
    const place = files.get(nodeId(id));
    return place === undefined ? id : loomIdOf(project, place.file);
  };
  return { toLoom, fromLoom: (id) => id };
}

function childrenOf(nodes: ReadonlyMap<NodeId, TreeNode>): Map<NodeId | null, NodeId[]> {
  const children = new Map<NodeId | null, NodeId[]>();
  for (const { id, parentId } of nodes.values()) {
    const siblings = children.get(parentId);
    if (siblings) siblings.push(id);
    else children.set(parentId, [id]);
  }
  return children;
}

/** What is left to do is to move it into place. */
function preparedOf(base: Base, incoming: Incoming, from: string): Prepared {
  const { project, nodes } = incoming;
  const { toLoom } = loomIdsOf(project, placesOf(incoming));
  const children = (childrenOf(nodes).get(null) ?? []).map(toLoom);
  const original = originalOf(incoming)?.root;
  return {
    project: project.id,
    from,
    root: rootOfProject(project, original === undefined ? children : orderedAs(original, children), original),
    blobs: [...nodes.values()].flatMap(({ contentBlocks }) => blobsOf(contentBlocks)),
    bookmarks: [...incoming.annotations.values()]
      .filter((one) => !isOwn(base, one))
      .map((one) => loomBookmark(project.id, one, toLoom)),
  };
}
