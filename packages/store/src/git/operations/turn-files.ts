import type { Call, NodeId, RawResponse, Turn, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { callOfOldLine, hasOldRaw, rawOfOldLine } from '../lines/research-tree.ts';
import {
  isCallFile,
  META_REF,
  numberOfCallFile,
  rawFileOf,
  requestKey,
  TURN_FILE,
  turnDirectory,
  turnKey,
  type TurnPlace,
} from '../meta/layout.ts';
import { type EndedTurn, readCall, readRaw, readTurn } from '../meta/records.ts';
import type { Tree } from '../objects/tree.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { OldTurn } from '../tree/load.ts';

/** A stored call, with its raw response if one was kept, which is read on demand. */
export interface StoredCall {
  readonly call: Call;
  /** Path of the call's file; null for a call known only from an old line. */
  readonly file: string | null;
  readonly raw: (() => Promise<RawResponse>) | null;
}

export async function readTurnOf(project: OpenProject, id: TurnId): Promise<Turn> {
  const { openTurns, oldTurns, turns } = project.state();
  const known = openTurns.get(id)?.turn ?? oldTurns.get(id)?.turn;
  if (known) return known;
  const place = turns.get(turnKey(id));
  if (place === undefined) throw new UnknownIdError('turn', id);
  return (await readTurnAt(project, place)).turn;
}

/** A turn that has ended. */
export async function readTurnAt(project: OpenProject, place: TurnPlace): Promise<EndedTurn> {
  const path = `${turnDirectory(place)}/${TURN_FILE}`;
  const entry = (await directoryOf(project, turnDirectory(place))).get(TURN_FILE);
  if (entry === undefined) throw new UnknownIdError('turn', place.key);
  return readTurn(project.id, await project.repository.readBlob(entry.oid), subjectOf(project, path));
}

/** The turn that a client's request began earlier. */
export async function turnOfRequest(project: OpenProject, clientRequestId: string): Promise<Turn | null> {
  const { openTurns, requests } = project.state();
  for (const open of openTurns.values()) if (open.clientRequestId === clientRequestId) return open.turn;
  const place = requests.get(requestKey(clientRequestId));
  if (place === undefined) return null;
  const stored = await readTurnAt(project, place);
  return stored.clientRequestId === clientRequestId ? stored.turn : null;
}

/** In the order in which they were stored. */
export async function callsOf(project: OpenProject, turn: TurnId): Promise<readonly StoredCall[]> {
  const { turns, oldTurns } = project.state();
  const old = oldTurns.get(turn);
  if (old) return oldCallsOf(project, old);
  const place = turns.get(turnKey(turn));
  return place === undefined ? [] : callsAt(project, place);
}

async function callsAt(project: OpenProject, place: TurnPlace): Promise<readonly StoredCall[]> {
  const files = await callFilesAt(project, place);
  return Promise.all(files.map((file) => callAt(project, file)));
}

/** A call's file in a directory as it was when it was listed: a later deletion does not change it. */
export interface CallFile {
  readonly directory: string;
  readonly entries: Tree;
  readonly name: string;
}

/** In the order of storage. */
export async function callFilesAt(project: OpenProject, place: TurnPlace): Promise<readonly CallFile[]> {
  const directory = turnDirectory(place);
  const entries = await directoryOf(project, directory);
  const names = [...entries.keys()].filter(isCallFile).sort((a, b) => numberOfCallFile(a) - numberOfCallFile(b));
  return names.map((name) => ({ directory, entries, name }));
}

export async function callAt(project: OpenProject, { directory, entries, name }: CallFile): Promise<StoredCall> {
  const file = `${directory}/${name}`;
  const raw = entries.get(rawFileOf(name));
  return {
    call: readCall(await readEntry(project, entries, name), subjectOf(project, file)),
    file,
    raw: raw ? () => rawAt(project, raw.oid, rawFileOf(file)) : null,
  };
}

async function rawAt(project: OpenProject, blob: string, file: string): Promise<RawResponse> {
  return readRaw(await project.repository.readBlob(blob), subjectOf(project, file));
}

/**
 * What old lines say about calls. A node that does not name its model was made by the one that its branch is locked to.
 */
export async function oldCallsOf(project: OpenProject, { turn, replies }: OldTurn): Promise<readonly StoredCall[]> {
  const { branches } = project.state();
  const lines = await project.nodes.readLines(replies);
  const nodes = await project.nodes.read(replies);
  return nodes.flatMap((node, at): StoredCall[] => {
    const line = lines[at] ?? {};
    if (!hasOldRaw(line)) return [];
    const lock = node.createdOnBranch === null ? undefined : branches.get(node.createdOnBranch)?.envelope;
    const made = {
      ...node,
      provider: node.provider ?? lock?.provider ?? null,
      modelUsed: node.modelUsed ?? lock?.model ?? null,
    };
    const raw = rawOfOldLine(line, made);
    const call = callOfOldLine(line, made, turn.id);
    return [{ call, file: null, raw: raw ? () => Promise.resolve(raw) : null }];
  });
}

/** A directory of `refs/bough/meta`; empty where there is none. */
export async function directoryOf(project: OpenProject, path: string): Promise<Tree> {
  let tree = project.state().meta.tree;
  for (const name of path.split('/')) {
    if (tree === null) break;
    tree = (await project.repository.readTree(tree)).get(name)?.oid ?? null;
  }
  return tree === null ? new Map() : project.repository.readTree(tree);
}

export async function readEntry(project: OpenProject, directory: Tree, name: string): Promise<Buffer> {
  const entry = directory.get(name);
  return entry ? project.repository.readBlob(entry.oid) : Buffer.alloc(0);
}

export const subjectOf = (project: OpenProject, path: string): string =>
  `${project.repository.gitDir} ${META_REF}:${path}`;

/** The raw responses of some nodes, found through the turns that made them. */
export async function rawsOf(
  project: OpenProject,
  nodes: readonly { readonly id: NodeId; readonly turnId: TurnId | null }[],
): Promise<ReadonlyMap<NodeId, RawResponse>> {
  const wanted = new Set(nodes.map(({ id }) => id));
  const turns = [...new Set(nodes.flatMap(({ turnId }) => turnId ?? []))];
  const found = await Promise.all(
    turns.map(async (turn) => {
      const calls = (await callsOf(project, turn)).filter(
        ({ call }) => call.nodeId !== null && wanted.has(call.nodeId),
      );
      return Promise.all(calls.map(async ({ call, raw }) => ({ id: call.nodeId, raw: (await raw?.()) ?? null })));
    }),
  );
  const raws = new Map<NodeId, RawResponse>();
  for (const { id, raw } of found.flat()) if (id !== null && raw !== null) raws.set(id, raw);
  return raws;
}
