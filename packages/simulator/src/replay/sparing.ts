import type { NodeId, TreeNode } from '@bough/core';
import type { CallSources, CallTarget, PreparedCall, Recall } from '@bough/providers';
import { prepareCall, prepareCallBehind } from '@bough/providers';

/** As a store reads it: the same nodes, and none of them the same object. */
export function reread(path: readonly TreeNode[]): readonly TreeNode[] {
  return JSON.parse(JSON.stringify(path)) as readonly TreeNode[];
}

export interface SparingCall {
  readonly call: PreparedCall;
  /** Whether it was made without reading its front. */
  readonly isSpared: boolean;
}

/** A request as the engine makes it over a store that knows versions: of the front that the process remembers nothing is read. */
export function prepareSparingly(
  path: readonly TreeNode[],
  target: CallTarget,
  sources: CallSources,
  recall: Recall,
): SparingCall {
  const versions = new Map(
    path.map((node) => [node.id, JSON.stringify([node, sources.rawOf(node.id) !== undefined])] as const),
  );
  const all = { ...sources, recall, versionOf: (id: NodeId) => versions.get(id) };
  const ends = new Set(path[0] === undefined ? [] : recall.ends(path[0].projectId, target));
  const length = 1 + path.slice(0, -1).findLastIndex(({ id }) => ends.has(id));
  const end = path[length - 1]?.id;
  const front =
    end === undefined
      ? null
      : recall.front({ end, versions: [...versions.values()].slice(0, length).join(',') }, target);
  if (front === null) return { call: prepareCall(reread(path), target, all), isSpared: false };
  const unread = new Set(path.slice(0, length).map(({ id }) => id));
  const behind = <Value>(id: NodeId, read: () => Value): Value => {
    if (unread.has(id)) throw new Error(`${id} stands in the front and was not read.`);
    return read();
  };
  const { renderingOf } = sources;
  const call = prepareCallBehind(front, [...front.nodes, ...reread(path.slice(length))], target, {
    ...all,
    rawOf: (id) => behind(id, () => sources.rawOf(id)),
    versionOf: (id) => behind(id, () => versions.get(id)),
    ...(renderingOf === undefined
      ? {}
      : { renderingOf: (id: NodeId, key: string) => behind(id, () => renderingOf(id, key)) }),
  });
  return call === null
    ? { call: prepareCall([...front.nodes, ...path.slice(length)], target, all), isSpared: false }
    : { call, isSpared: true };
}
