import type { NodeId, ProjectId, TreeNode } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { readLine } from '../lines/line.ts';
import { nodeOfOldLine } from '../lines/research-tree.ts';
import { type PathText, sliceText } from '../objects/path-text.ts';
import { corrupt } from '../meta/records.ts';
import type { IndexedNode, PathFile } from './node-index.ts';
import type { Texts } from './texts.ts';

type Line = Readonly<Record<string, unknown>>;

export interface NodeReader {
  /** In the order given. */
  readonly read: (nodes: readonly IndexedNode[]) => Promise<readonly TreeNode[]>;
  /** A path, from a single file where one holds all of it. */
  readonly readPath: (path: readonly IndexedNode[]) => Promise<readonly TreeNode[]>;
  /** The parsed lines, for fields that only old lines have. */
  readonly readLines: (nodes: readonly IndexedNode[]) => Promise<readonly Line[]>;
}

/** `includeThinking` holds the switches that differ from the stored line: lines are never rewritten. */
export function createNodeReader(
  project: ProjectId,
  texts: Texts,
  includeThinking: (node: NodeId) => boolean | undefined,
): NodeReader {
  /** Each text is fetched once per call, however many of its nodes are read. */
  const fetching = (): ((file: PathFile) => Promise<PathText>) => {
    const fetched = new Map<string, Promise<PathText>>();
    return ({ blob }) => {
      const text = fetched.get(blob) ?? texts.get(blob);
      fetched.set(blob, text);
      return text;
    };
  };
  const lineOf = (node: IndexedNode, text: PathText): Line => {
    const line: unknown = JSON.parse(sliceText(text, node.start, node.end).toString('utf8'));
    if (!isPlainObject(line) || line['id'] !== node.id)
      throw corrupt(`${node.file.blob} (node ${node.id})`, 'has changed');
    return line;
  };
  const nodeOf = (indexed: IndexedNode, text: PathText): TreeNode => {
    const line = lineOf(indexed, text);
    const stored = readLine(project, line)?.node ?? nodeOfOldLine(project, line, indexed.parentId);
    // Of a line without a turn, only the index knows whether it got one later.
    const node = { ...stored, turnId: indexed.turnId };
    const include = includeThinking(node.id);
    return include === undefined ? node : { ...node, includeThinkingInContext: include };
  };

  const read: NodeReader['read'] = async (nodes) => {
    const fetch = fetching();
    const read: TreeNode[] = [];
    for (const node of nodes) read.push(nodeOf(node, await fetch(node.file)));
    return read;
  };
  return {
    read,
    readPath: async (path) => {
      const last = path.at(-1);
      if (last === undefined || !last.file.aligned) return read(path);
      const text = await texts.get(last.file.blob);
      return path.map((node) => nodeOf(node, text));
    },
    readLines: async (nodes) => {
      const fetch = fetching();
      const lines: Line[] = [];
      for (const node of nodes) lines.push(lineOf(node, await fetch(node.file)));
      return lines;
    },
  };
}
