import type { NodeId } from '@bough/core';
import { PROJECT_FILE } from '../meta/layout.ts';
import type { ObjectBatch } from '../objects/object-batch.ts';
import { serializeCommit } from '../objects/commit-object.ts';
import {
  appendBytes,
  cutText,
  EMPTY_BLOB,
  EMPTY_TEXT,
  endsInLine,
  type PathText,
  textId,
} from '../objects/path-text.ts';
import { editTree } from '../repository/edit-tree.ts';
import type { Repository } from '../repository/repository.ts';
import { type Head, NODES_FILE } from '../tree/load.ts';
import type { IndexedNode } from '../tree/node-index.ts';
import type { Texts } from '../tree/texts.ts';
import type { ProjectState } from './state.ts';

/** A commit whose `nodes.jsonl` is exactly the path to a node. */
export interface PathEnd {
  readonly commit: string;
  readonly tree: string;
  readonly blob: string;
  readonly text: PathText;
  readonly aligned: boolean;
}

export interface Surroundings {
  readonly repository: Repository;
  readonly texts: Texts;
  readonly state: ProjectState;
  readonly objects: ObjectBatch;
}

/**
 * The commit that ends at a node in the middle of a path: found in the history, so that a fork shares it as people
 * expect, or made, where one commit added several nodes. `near` is a head of the path; null for a project without one.
 */
async function locateCommit(around: Surroundings, node: IndexedNode | null, near: Head | null): Promise<PathEnd> {
  const { texts, state } = around;
  const text = node === null ? EMPTY_TEXT : pathTo(await texts.get(node.file.blob), node);
  const aligned = node?.file.aligned ?? true;
  const blob = node === null ? EMPTY_BLOB : textId(text);
  const known = node === null ? undefined : state.commits.get(node.id);
  const found = known ?? (await search(around, blob, text.length, near));
  if (node !== null && 'commit' in found) state.commits.set(node.id, found);
  if ('commit' in found) return { ...found, blob, text, aligned };
  return { ...(await makeCommit(around, node, text, found.below)), blob, text, aligned };
}

/**
 * The commit that ends at any stored node, or at none. A head at that node is preferred, and `near` above all others:
 * it also carries what else belongs to its branch.
 */
export async function endOfNode(around: Surroundings, id: NodeId | null, near: Head | null): Promise<PathEnd> {
  const { state, texts } = around;
  const there = near?.tip === id ? near : [...state.heads.values()].find((head) => head.tip === id);
  if (there) return { ...there, text: await texts.get(there.blob) };
  if (id === null) return locateCommit(around, null, near);
  const node = state.index.get(id);
  return locateCommit(around, node, headBelow(state, node));
}

/** A head whose path runs through the node: there always is one. */
function headBelow(state: ProjectState, node: IndexedNode): Head | null {
  const byTip = new Map([...state.heads.values()].map((head) => [head.tip, head]));
  for (let current: IndexedNode | null = node; current; current = state.index.children(current.id)[0] ?? null) {
    const head = byTip.get(current.id);
    if (head) return head;
  }
  return null;
}

/** The text up to a node, with the newline that the next line needs. */
function pathTo(text: PathText, node: IndexedNode): PathText {
  const cut = cutText(text, node.end + 1);
  return endsInLine(cut) ? cut : appendBytes(cut, Buffer.from('\n'));
}

interface Place {
  readonly commit: string;
  readonly tree: string;
}

/** The commit with this blob as `nodes.jsonl`; otherwise the newest one below it, whose file is shorter. */
async function search(
  { repository }: Surroundings,
  blob: string,
  length: number,
  near: Head | null,
): Promise<Place | { readonly below: Place | null }> {
  if (near === null) return { below: null };
  const log = await repository.ask([
    'log',
    '--first-parent',
    '--no-renames',
    '--no-abbrev',
    '--raw',
    '--format=%H',
    near.commit,
    '--',
    NODES_FILE,
  ]);
  const steps = [...log.matchAll(/^([0-9a-f]{40})\n\n:\d+ \d+ [0-9a-f]+ ([0-9a-f]{40})/gm)].map(
    ([, commit = '', file = '']) => ({ commit, file }),
  );
  const exact = steps.find(({ file }) => file === blob);
  if (exact) return placeOf(repository, exact.commit);
  const sizes = await repository.ask(['cat-file', '--batch-check=%(objectsize)'], lines(steps));
  const shorter = sizes.split('\n').findIndex((size) => /^\d+$/.test(size) && Number(size) < length);
  const below = steps[shorter];
  return { below: below === undefined ? null : await placeOf(repository, below.commit) };
}

const lines = (steps: readonly { readonly file: string }[]): string => steps.map(({ file }) => `${file}\n`).join('');

async function placeOf(repository: Repository, commit: string): Promise<Place> {
  return { commit, tree: (await repository.readCommit(commit)).tree };
}

async function makeCommit(
  { repository, objects, state }: Surroundings,
  node: IndexedNode | null,
  text: PathText,
  below: Place | null,
): Promise<Place> {
  const tree = await pathTree(repository, objects, state, below?.tree ?? null, objects.addText(text));
  const message = node === null ? 'Start' : `Path up to the node ${node.id}`;
  const commit = { tree, parents: below === null ? [] : [below.commit], message };
  return { commit: objects.add('commit', serializeCommit(commit, secondsOf(node?.createdAt))), tree };
}

/** The files of a commit: what was there before, the path, and the project's description where it is newer. */
export async function pathTree(
  repository: Repository,
  objects: ObjectBatch,
  state: Pick<ProjectState, 'fileBlob'>,
  base: string | null,
  blob: string,
): Promise<string> {
  const edits = new Map([
    [NODES_FILE, blob],
    [PROJECT_FILE, state.fileBlob],
  ]);
  return editTree(repository, objects, base, edits);
}

/** The date of a commit: the node's own where git can represent it. */
export function secondsOf(time: string | undefined): number {
  const seconds = Math.floor(Date.parse(time ?? '') / 1000);
  return seconds >= 0 && seconds < 2 ** 31 ? seconds : Math.floor(Date.now() / 1000);
}
