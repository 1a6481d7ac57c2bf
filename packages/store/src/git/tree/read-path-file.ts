import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { InvalidMessageError, isPlainObject, mergeIn, nodeId } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { readLine } from '../lines/line.ts';
import { isNodeLine, nodeOfOldLine } from '../lines/research-tree.ts';
import { type IndexedNode, indexed, type PathFile } from './node-index.ts';

/** The nodes known so far while a project is loaded, with the whole node where its line is an old one. */
export interface Found {
  readonly nodes: Map<NodeId, IndexedNode>;
  readonly old: Map<NodeId, TreeNode>;
}

/** What a head's file says: its last node, and whether it agrees with the files read before. */
export interface PathFileReading {
  readonly tip: NodeId | null;
  readonly aligned: boolean;
}

/**
 * Adds the nodes of a `nodes.jsonl` that are not known yet. A fork repeats the lines of its source: a known id at its
 * known place is skipped without parsing, so a hundred branches cost little more than one.
 */
export function readPathFile(
  project: ProjectId,
  content: Buffer,
  file: { readonly blob: string; readonly subject: string },
  found: Found,
): PathFileReading {
  const place = { blob: file.blob, length: content.length, aligned: true };
  let tip: NodeId | null = null;
  let number = 0;
  for (let start = 0; start < content.length;) {
    number += 1;
    const newline = content.indexOf(0x0a, start);
    const end = newline < 0 ? content.length : newline;
    const known: IndexedNode | null = knownAt(content, start, end, found);
    const line: ParsedLine | null = known
      ? null
      : parseLine(project, content.toString('utf8', start, end), tip, found, `${file.subject} line ${number}`);
    if (line) {
      const before = found.nodes.get(line.node.id);
      if (before?.file === place) throw unreadable(`${file.subject} line ${number}`, 'the id stands above already');
      if (before) place.aligned = false;
      else addFound(line, { file: place, start, end }, found);
    }
    tip = known?.id ?? line?.node.id ?? tip;
    start = end + 1;
  }
  return { tip, aligned: place.aligned };
}

function addFound(
  { node, order }: ParsedLine,
  place: { readonly file: PathFile; readonly start: number; readonly end: number },
  { nodes, old }: Found,
): void {
  const parent = node.parentId === null ? undefined : nodes.get(node.parentId);
  // An old line has no number: it comes after its parent, in the order in which it was found.
  const rank = order ?? Math.max(-1, parent?.order ?? -1);
  nodes.set(node.id, indexed(node, { order: rank, found: nodes.size, old: order === null, ...place }));
  if (order === null) old.set(node.id, node);
}

/** The id is the first field of a line, whoever wrote it; a line whose id holds an escape is parsed like any other. */
const ID_FIRST = /^\{"id":"([^"\\]+)"/;
const PROBE_BYTES = 256;

function knownAt(content: Buffer, start: number, end: number, { nodes }: Found): IndexedNode | null {
  const probe = ID_FIRST.exec(content.toString('utf8', start, Math.min(end, start + PROBE_BYTES)));
  const node = probe?.[1] === undefined ? undefined : nodes.get(nodeId(probe[1]));
  return node?.start === start && node.end === end ? node : null;
}

/** `order` is null for an old line. */
interface ParsedLine {
  readonly node: TreeNode;
  readonly order: number | null;
}

/** Null for a line that is no node. `above` is the node before it on the path. */
function parseLine(
  project: ProjectId,
  text: string,
  above: NodeId | null,
  found: Found,
  subject: string,
): ParsedLine | null {
  if (text.trim() === '') return null;
  try {
    const line: unknown = JSON.parse(text);
    if (!isPlainObject(line) || typeof line['id'] !== 'string') throw unreadable(subject, 'not an object with an id');
    const own = readLine(project, line);
    if (own && !follows(own.node.parentId, above, found))
      throw unreadable(subject, 'its parent is not the message above it');
    if (own) return own;
    return isNodeLine(line) ? { node: nodeOfOldLine(project, line, above), order: null } : null;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof InvalidMessageError)
      throw unreadable(subject, cause.message, cause);
    throw cause;
  }
}

/**
 * Whether a node stands right above; merges of ResearchTree between them do not count. Lines that were written before
 * those became nodes name the message above such a merge.
 */
function follows(parent: NodeId | null, above: NodeId | null, { old }: Found): boolean {
  let at = above;
  while (at !== parent) {
    const node: TreeNode | undefined = at === null ? undefined : old.get(at);
    if (node === undefined || mergeIn(node.contentBlocks) === null) return false;
    at = node.parentId;
  }
  return true;
}

function unreadable(subject: string, problem: string, cause?: unknown): StoreError {
  const advice = 'Mend the line with git, or move the branch back to a commit before it.';
  return new StoreError('corrupt_line', subject, `${subject} cannot be read (${problem}). ${advice}`, { cause });
}
