import { join } from 'node:path';
import type { BranchId, Envelope, NodeId, ProjectId, TurnId } from '@bough/core';
import { nodeId, turnId } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { EMPTY_CONFIG, readConfig } from '../meta/branch-config.ts';
import { annotationsOf, readAnnotations } from '../annotations/read.ts';
import {
  ANNOTATIONS,
  BRANCHES,
  CONFIG_FILE,
  HEAD_REFS,
  LEAF_REFS,
  META_REF,
  NODE_TURNS_FILE,
  parseTurnDirectory,
  PROJECT_FILE,
  RUNNING,
  THINKING_FILE,
  turnKey,
  type TurnPlace,
  TURNS,
} from '../meta/layout.ts';
import { type MetaNote, readNote } from '../meta/message.ts';
import {
  type BranchRecord,
  corrupt,
  type OpenTurn,
  type ProjectFile,
  readBranch,
  readJson,
  readOpenTurn,
  readProject,
} from '../meta/records.ts';
import type { Tree } from '../objects/tree.ts';
import { replaceFile } from '../repository/plain-file.ts';
import { readIfThere } from '../../on-disk/disk/index.ts';
import type { BlobDirectory } from '../../on-disk/blobs/index.ts';
import type { PackingLimits } from '../repository/maintenance.ts';
import type { Repository } from '../repository/repository.ts';
import { loadTree } from '../tree/load.ts';
import type { Texts } from '../tree/texts.ts';
import { withRenewals } from './renewals.ts';
import { foundBranch, type MetaPosition, type ProjectState, withLock } from './state.ts';
import { TRASH } from '../meta/layout.ts';
import { readPin, withPin } from './pin.ts';
import { defaultRefOf, readSummary } from './summary.ts';

export interface LoadOptions {
  /** The id that the directory is named after. */
  readonly id: ProjectId | null;
  /** For branches without a lock. */
  readonly defaults: Envelope;
  readonly packing: PackingLimits;
  /** Where git works (`process/own-directory.ts`). */
  readonly own: string;
  /** Files that were put and that no node refers to yet. */
  readonly held: BlobDirectory;
}

type Refs = ReadonlyMap<string, string>;

/** Reads a repository into memory, after finishing what a crash interrupted. */
export async function loadProject(repository: Repository, texts: Texts, options: LoadOptions): Promise<ProjectState> {
  const { gitDir } = repository;
  const meta = await readMeta(repository, await repository.listRefs());
  const defaultRef = await defaultRefOf(gitDir);
  // Before anything is written: what a newer Bough made is left as it is.
  const { file, blob: fileBlob } = await readProjectFile(repository, meta, defaultRef);
  const { refs, finished } = await finishLastWrite(repository, meta);
  const project = { ...file.project, id: options.id ?? file.project.id };
  const config = await readLocks(repository, meta, finished);
  const pin = await readPin(gitDir);

  const heads = orderHeads(refs, defaultRef);
  const nodeTurns = await readNodeTurns(repository, meta);
  const loaded = await loadTree(repository, texts, project.id, heads, nodeTurns);
  const records = await readAll(repository, meta, BRANCHES, readBranch);
  const running = await readAll(repository, meta, RUNNING, (bytes, subject) =>
    readOpenTurn(project.id, bytes, subject),
  );
  const open = await withRenewals(gitDir, running);
  const turns = await readTurnPlaces(repository, meta);
  return {
    project,
    file: { ...file, project },
    fileBlob,
    meta: meta.position,
    config,
    isShared: pin !== undefined,
    defaultRef,
    index: loaded.index,
    // What was stored of a turn counts more than what old lines say.
    oldTurns: withoutStored(loaded.oldTurns, turns),
    branches: branchesOf(
      records,
      heads,
      (ref, order) => withPin(foundBranch(ref, file, config, options.defaults, order), pin),
      (record) => withPin(withLock(record, config), pin),
    ),
    heads: new Map(loaded.heads),
    openTurns: new Map<TurnId, OpenTurn>(open.map((turn) => [turn.turn.id, turn])),
    turns: new Map(turns.map((place) => [place.key, place])),
    requests: new Map(turns.flatMap((place) => (place.request === null ? [] : [[place.request, place]]))),
    includeThinking: await readSwitches(repository, meta),
    annotations: await annotationsOf(
      repository,
      loaded,
      project.id,
      await readAll(repository, meta, ANNOTATIONS, readAnnotations),
    ),
    hasTrash: meta.root.has(TRASH),
    nodeTurns,
    commits: new Map(),
  };
}

function withoutStored(oldTurns: ProjectState['oldTurns'], places: readonly TurnPlace[]): ProjectState['oldTurns'] {
  const stored = new Set(places.map(({ key }) => key));
  return new Map([...oldTurns].filter(([id]) => !stored.has(turnKey(id))));
}

interface Meta {
  readonly position: MetaPosition;
  readonly note: MetaNote;
  readonly refs: Refs;
  readonly root: Tree;
}

async function readMeta(repository: Repository, refs: Refs): Promise<Meta> {
  const commit = refs.get(META_REF) ?? null;
  const note: MetaNote = { sequence: 0, moves: [] };
  if (commit === null) return { position: { commit, tree: null, sequence: 0 }, note, refs, root: new Map() };
  const { tree, message } = await repository.readCommit(commit);
  const read = readNote(message);
  return {
    position: { commit, tree, sequence: read.sequence },
    note: read,
    refs,
    root: await repository.readTree(tree),
  };
}

/**
 * The newest commit of `refs/bough/meta` names the refs that move with it. Those that a crash left behind are moved
 * now; one that is elsewhere has since been moved by hand, and stays.
 */
async function finishLastWrite(repository: Repository, meta: Meta): Promise<{ refs: Refs; finished: boolean }> {
  const { commit } = meta.position;
  if (commit === null || (await readSummary(repository.gitDir))?.meta === commit)
    return { refs: meta.refs, finished: false };
  const behind = meta.note.moves.filter(({ ref, from }) => (meta.refs.get(ref) ?? null) === from);
  if (behind.length === 0) return { refs: meta.refs, finished: true };
  await repository.moveRefs(behind);
  return { refs: await repository.listRefs(), finished: true };
}

/** Bough's own copy, or the one on the first branch that has one. */
async function readProjectFile(
  repository: Repository,
  meta: Meta,
  defaultRef: string,
): Promise<{ readonly file: ProjectFile; readonly blob: string }> {
  for (const ref of [META_REF, defaultRef, `${HEAD_REFS}main`, ...meta.refs.keys()]) {
    const commit = meta.refs.get(ref);
    if (commit === undefined) continue;
    const root = ref === META_REF ? meta.root : await repository.readTree((await repository.readCommit(commit)).tree);
    const blob = root.get(PROJECT_FILE)?.oid;
    if (blob === undefined) continue;
    return { blob, file: readProject(await repository.readBlob(blob), `${repository.gitDir} ${ref}:${PROJECT_FILE}`) };
  }
  throw new StoreError(
    'corrupt_project',
    repository.gitDir,
    `${repository.gitDir} holds no ${PROJECT_FILE}: it is not a repository of conversations. Move it out of the projects' directory.`,
  );
}

/** The lock file, or its copy in git where it is missing; an interrupted write has only reached the copy. */
async function readLocks(repository: Repository, meta: Meta, interrupted: boolean) {
  const path = join(repository.gitDir, CONFIG_FILE);
  const bytes = await readIfThere(path);
  const copy = meta.root.get(CONFIG_FILE);
  if (copy && (bytes === null || interrupted)) {
    const content = await repository.readBlob(copy.oid);
    if (bytes === null || !bytes.equals(content)) await replaceFile(path, content, true);
    return readConfig(content, `${repository.gitDir} ${META_REF}:${CONFIG_FILE}`);
  }
  return bytes === null ? EMPTY_CONFIG : readConfig(bytes, path);
}

/** The branch that people see first comes first: the others are compared with it. Leaves come last. */
function orderHeads(refs: Refs, defaultRef: string): readonly (readonly [string, string])[] {
  const rank = ([ref]: readonly [string, string]): number =>
    ref === defaultRef ? 0 : ref.startsWith(HEAD_REFS) ? 1 : 2;
  return [...refs]
    .filter(([ref]) => ref.startsWith(HEAD_REFS) || ref.startsWith(LEAF_REFS))
    .sort((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1));
}

/** One record per git branch: a branch deleted by hand is gone, one made by hand is included. */
function branchesOf(
  records: readonly BranchRecord[],
  heads: readonly (readonly [string, string])[],
  found: (ref: string, order: number) => BranchRecord,
  known: (record: BranchRecord) => BranchRecord,
): Map<BranchId, BranchRecord> {
  const byRef = new Map(records.map((record) => [record.ref, record]));
  const refs = heads.map(([ref]) => ref).filter((ref) => ref.startsWith(HEAD_REFS));
  const branches = refs.map((ref, place) => {
    const record = byRef.get(ref);
    return record ? known(record) : found(ref, place - refs.length);
  });
  return new Map(branches.map((branch) => [branch.id, branch]));
}

async function readAll<T>(
  repository: Repository,
  { root }: Meta,
  directory: string,
  read: (bytes: Buffer, subject: string) => T,
): Promise<readonly T[]> {
  const tree = root.get(directory);
  if (!tree) return [];
  const entries = [...(await repository.readTree(tree.oid))];
  return Promise.all(
    entries.map(async ([name, { oid }]) =>
      read(await repository.readBlob(oid), `${repository.gitDir} ${META_REF}:${directory}/${name}`),
    ),
  );
}

/** From the names alone: no turn is read. */
async function readTurnPlaces(repository: Repository, { root }: Meta): Promise<readonly TurnPlace[]> {
  const turns = root.get(TURNS);
  if (!turns) return [];
  const shards = await Promise.all(
    [...(await repository.readTree(turns.oid)).values()].map(({ oid }) => repository.readTree(oid)),
  );
  return shards.flatMap((shard) => [...shard.keys()]).flatMap((name) => parseTurnDirectory(name) ?? []);
}

async function readNodeTurns(repository: Repository, { root }: Meta): Promise<ReadonlyMap<NodeId, TurnId>> {
  const file = root.get(NODE_TURNS_FILE);
  if (!file) return new Map();
  const subject = `${repository.gitDir} ${META_REF}:${NODE_TURNS_FILE}`;
  const entries = Object.entries(readJson(await repository.readBlob(file.oid), subject));
  return new Map(
    entries.map(([id, turn]) => {
      if (typeof turn !== 'string') throw corrupt(subject, `has no turn for ${id}`);
      return [nodeId(id), turnId(turn)];
    }),
  );
}

async function readSwitches(repository: Repository, { root }: Meta): Promise<Map<NodeId, boolean>> {
  const file = root.get(THINKING_FILE);
  if (!file) return new Map();
  const subject = `${repository.gitDir} ${META_REF}:${THINKING_FILE}`;
  const switches = Object.entries(readJson(await repository.readBlob(file.oid), subject));
  return new Map(
    switches.map(([id, include]) => {
      if (typeof include !== 'boolean') throw corrupt(subject, `has no true or false for ${id}`);
      // The file's keys are node ids.
      return [id as NodeId, include];
    }),
  );
}
