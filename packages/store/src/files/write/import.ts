import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { BranchId, Call, NodeId, Project, TreeNode, TurnId } from '@bough/core';
import { BoughError, UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { ProjectRecord } from '../../store.ts';
import { diskTrouble, eachOf, syncDirectory, writeAtomically } from '../../on-disk/disk/index.ts';
import { fileOfNode, nodeFileText } from '../format/node-file.ts';
import { projectFileText, rootOfProject, ROOTS_FILE, rootsText } from '../format/roots.ts';
import type { BranchFile, TurnFile } from '../format/sidecars.ts';
import { branchText, rawText, renderingsText, turnText } from '../format/sidecars.ts';
import { OWN_DIRECTORY } from '../journal/index.ts';
import type { Base } from '../state/base.ts';
import {
  branchFile,
  directoryOf,
  nodeFileOf,
  projectFile,
  rawFile,
  renderingsFile,
  turnFile,
} from '../state/places.ts';
import { scanProject } from '../state/scan.ts';
import { requireFreePlace } from './place.ts';

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
}

/** Prepares the whole project in a directory of its own, then moves it into place in one step. */
export async function importProject(base: Base, records: AsyncIterable<ProjectRecord>): Promise<void> {
  const from = `${INCOMING}/${randomUUID()}`;
  const directories = new Set([join(base.directory, INCOMING), join(base.directory, from)]);
  const write = async (path: string, data: string | Uint8Array): Promise<void> => {
    const target = join(base.directory, from, path);
    await mkdir(dirname(target), { recursive: true, mode: base.modes.directory });
    directories.add(dirname(target)).add(dirname(dirname(target)));
    await writeAtomically(target, data, join(base.directory, OWN_DIRECTORY, 'tmp'), base.modes);
  };
  try {
    const incoming = await receive(base, records, write);
    await prepare(incoming, write);
    await eachOf([...directories], WRITERS, syncDirectory);
    await base.exclusively(() => adopt(base, incoming, from));
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

async function prepare({ project, branches, turns, nodes, renderings }: Incoming, write: Write): Promise<void> {
  await write(projectFile('.'), projectFileText(project));
  await eachOf([...branches.values()], WRITERS, (file) => write(branchFile('.', file.branch.id), branchText(file)));
  await eachOf([...turns.values()], WRITERS, (file) => write(turnFile('.', file.turn.id), turnText(file)));
  await eachOf([...renderings], WRITERS, ([nodeId, ofNode]) =>
    write(renderingsFile('.', nodeId), renderingsText({ nodeId, renderings: ofNode })),
  );
  const children = childrenOf(nodes);
  const taken = new Set<string>();
  const files = [...nodes.values()].map((node, index) => {
    const file = nodeFileOf('.', project.id, node.id, (name) => taken.has(name));
    taken.add(file);
    return { file, node, order: index + 1 };
  });
  await eachOf(files, WRITERS, ({ file, node, order }) =>
    write(file, nodeFileText(fileOfNode(node, order, children.get(node.id) ?? [], null))),
  );
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

async function adopt(base: Base, { project, nodes }: Incoming, from: string): Promise<void> {
  await requireFreePlace(base, project.id);
  // Otherwise the removal of an older project with this id, replayed after a crash, would remove the new one too.
  await base.files.checkpoint();
  const directory = directoryOf(project.id);
  const root = rootOfProject(project, childrenOf(nodes).get(null) ?? []);
  const roots = [...base.roots, root];
  await base.files.commit([
    { type: 'adoptTree', path: directory, from },
    { type: 'put', path: ROOTS_FILE, text: rootsText(roots) },
  ]);
  // The files are read from their final place.
  await base.files.settle();
  const state = await scanProject(base.directory, root, directory);
  base.roots = roots;
  base.projects.set(project.id, state);
}
