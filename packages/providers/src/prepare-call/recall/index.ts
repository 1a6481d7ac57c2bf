import type { NodeId, ProjectId, RawResponse, TreeNode } from '@bough/core';
import { isThinkingBlock, memoized, stableDeepEqual } from '@bough/core';
import { deploymentKey } from '../../deployment.ts';
import type { CallTarget } from '../index.ts';
import type { Settled } from '../settled/index.ts';

/**
 * What a process remembers of the nodes that it prepared requests from. A store gives new objects with every reading; here each node
 * becomes the object that it was the last time, so that everything that was found out about it still holds, and the reading of a raw
 * reply is found again without the raw. Stored nodes and their raw never change; those that differ all the same are taken as new.
 */
export interface Recall {
  readonly node: (node: TreeNode) => TreeNode;
  /** A request was made of this path and no rule was broken; `settled` is the front that it was made with. */
  readonly judged: (path: readonly TreeNode[], target: CallTarget, settled: Settled | null) => void;
  /** The longest front of a path that was judged under the same envelope, and what of it is settled. */
  readonly judgedFront: (path: readonly TreeNode[], target: CallTarget) => JudgedFront | null;
  readonly settle: (settled: Settled, target: CallTarget) => void;
  /** Where the settled fronts of a project end that need not be read again for this target, as long as their versions are the same. */
  readonly ends: (project: ProjectId, target: CallTarget) => readonly NodeId[];
  /** The front that ends so, if it is remembered and nothing of it changed. */
  readonly front: (stored: { readonly end: NodeId; readonly versions: string }, target: CallTarget) => Settled | null;
  /** What `read` gives for the raw of a node. */
  readonly reading: <Reading extends object>(
    id: NodeId,
    raw: RawResponse,
    read: (raw: RawResponse) => Reading,
  ) => Reading;
}

export interface JudgedFront {
  /** How many nodes it holds. */
  readonly length: number;
  readonly settled: Settled | null;
}

interface Judged {
  readonly nodes: readonly TreeNode[];
  readonly envelope: string;
  readonly settled: Settled | null;
}

/** Fronts are kept for the conversations that were talked to last, up to some forty megabytes of text, and as many of bytes. */
const MOST_FRONTS = 256;
const MOST_SETTLED_TOKENS = 10_000_000;

/** Reads a raw reply, or finds again what was read of it. */
export function readOnce<Reading extends object>(
  { readingOf }: { readonly readingOf?: Recall['reading'] | undefined },
  id: NodeId,
  raw: RawResponse,
  read: (raw: RawResponse) => Reading,
): Reading {
  return readingOf === undefined ? read(raw) : readingOf(id, raw, read);
}

/** Some conversations of a thousand turns each fit in; what was used longest ago is forgotten first. */
const MOST_NODES = 20_000;
/**
 * Many short conversations must not fill it either: what is found out about a node takes some ten kilobytes. So there is room for these, until a longer path
 * was talked to.
 */
const FEW_NODES = 4_000;
/** A few very long replies must not fill the memory of a server: what they say is kept about three times over. */
const MOST_CHARACTERS = 16_000_000;

export interface RecallLimits {
  readonly nodes?: number;
  readonly characters?: number;
}

interface Memory {
  readonly node: TreeNode;
  raw: { readonly stamp: RawStamp; readonly read: unknown; readonly reading: object } | null;
}

type RawStamp = Pick<RawResponse, 'api' | 'provider' | 'deployment' | 'model' | 'capturedAt' | 'complete'>;

export function createRecall({
  nodes: mostNodes = MOST_NODES,
  characters = MOST_CHARACTERS,
}: RecallLimits = {}): Recall {
  // Two generations instead of an order of use: to forget costs nothing as long as nothing is forgotten.
  let young = new Map<NodeId, Memory>();
  let old = new Map<NodeId, Memory>();
  let youngCharacters = 0;
  let room = Math.min(mostNodes, FEW_NODES);
  const fronts = new Map<NodeId, Judged>();
  let settledTokens = 0;

  const find = (id: NodeId): Memory | undefined => {
    const memory = young.get(id);
    if (memory !== undefined) return memory;
    const before = old.get(id);
    if (before !== undefined) keep(id, before);
    return before;
  };
  const keep = (id: NodeId, memory: Memory): void => {
    if (young.size >= room || youngCharacters >= characters) {
      old = young;
      young = new Map();
      youngCharacters = 0;
    }
    young.set(id, memory);
    youngCharacters += charactersOf(memory.node);
  };
  const keepFront = (front: Judged): void => {
    const last = front.nodes.at(-1);
    if (last === undefined) return;
    forgetFront(last.id);
    fronts.set(last.id, front);
    settledTokens += sizeOf(front);
    for (const id of fronts.keys()) {
      if (fronts.size <= MOST_FRONTS && settledTokens <= MOST_SETTLED_TOKENS) break;
      if (id !== last.id) forgetFront(id);
    }
  };
  const forgetFront = (id: NodeId): void => {
    const front = fronts.get(id);
    if (front !== undefined) settledTokens -= sizeOf(front);
    fronts.delete(id);
  };

  return {
    node: (node) => {
      const memory = find(node.id);
      if (memory !== undefined && (memory.node === node || isSameNode(memory.node, node))) return memory.node;
      keep(node.id, { node, raw: null });
      return node;
    },
    judged: (path, target, settled) => {
      room = Math.min(mostNodes, Math.max(room, path.length));
      const length = path.findLastIndex(({ role }) => role === 'user');
      const nodes = settled?.nodes.length === length ? settled.nodes : path.slice(0, Math.max(0, length));
      keepFront({ nodes, envelope: envelopeOf(target), settled });
    },
    judgedFront: (path, target) => {
      const envelope = envelopeOf(target);
      for (let length = path.length - 1; length > 0; length -= 1) {
        const last = path[length - 1];
        const front = path[length]?.role === 'user' && last !== undefined ? fronts.get(last.id) : undefined;
        if (front === undefined || front.nodes.length !== length || front.envelope !== envelope) continue;
        if (!begins(path, front.nodes)) continue;
        keepFront(front);
        return { length, settled: front.settled };
      }
      return null;
    },
    settle: (settled, target) => keepFront({ nodes: settled.nodes, envelope: envelopeOf(target), settled }),
    ends: (project, target) => {
      const envelope = envelopeOf(target);
      return [...fronts.values()].flatMap((front) => {
        const end = spared(front)?.nodes.at(-1);
        return front.envelope === envelope && end?.projectId === project ? [end.id] : [];
      });
    },
    front: ({ end, versions }, target) => {
      const front = fronts.get(end);
      const settled = front === undefined ? null : spared(front);
      return settled?.versions === versions && front?.envelope === envelopeOf(target) ? settled : null;
    },
    reading: <Reading extends object>(id: NodeId, raw: RawResponse, read: (raw: RawResponse) => Reading): Reading => {
      const memory = find(id);
      const known = memory?.raw;
      // Whoever reads with the same function gets what that function gave.
      if (known?.read === read && isSameRaw(known.stamp, raw)) return known.reading as Reading;
      const reading = read(raw);
      if (memory !== undefined) memory.raw = { stamp: stampOf(raw), read, reading };
      return reading;
    },
  };
}

function charactersOf({ content, contentBlocks }: TreeNode): number {
  let count = content.length;
  for (const block of contentBlocks) if (isThinkingBlock(block)) count += block.thinking.length;
  return count;
}

/** A front that is only judged takes no text of its own. */
function sizeOf({ nodes, settled }: Judged): number {
  return settled?.nodes.length === nodes.length ? settled.context.untrimmedTokens : 0;
}

/** A front that can be sent again unread: all of it is settled, and the store can tell whether it changed. */
function spared({ nodes, settled }: Judged): Settled | null {
  return settled?.nodes.length === nodes.length && settled.versions !== null ? settled : null;
}

/** A loop, because it runs over whole conversations with every request. */
function begins(path: readonly TreeNode[], front: readonly TreeNode[]): boolean {
  for (let at = front.length - 1; at >= 0; at -= 1) if (!isThatNode(front[at], path[at])) return false;
  return true;
}

function isThatNode(before: TreeNode | undefined, now: TreeNode | undefined): boolean {
  if (before === now) return true;
  return before !== undefined && now !== undefined && before.id === now.id && isSameNode(before, now);
}

/** Everything that a front depends on beside its nodes. */
const envelopeOf = memoized(({ provider, model, systemPrompt, tools, keepToolsAfterBreak }: CallTarget): string => {
  const { deployment } = provider;
  const place = [deployment.protocol, deployment.id, deploymentKey(deployment), model, keepToolsAfterBreak ?? false];
  return JSON.stringify([...place, systemPrompt, tools]);
});

/** In everything that a request may depend on. An import can have changed a node in any way, and left its match key as it was. */
function isSameNode(before: TreeNode, now: TreeNode): boolean {
  return (
    before.role === now.role &&
    before.parentId === now.parentId &&
    before.includeThinkingInContext === now.includeThinkingInContext &&
    before.isError === now.isError &&
    before.interrupted === now.interrupted &&
    before.provider === now.provider &&
    before.modelUsed === now.modelUsed &&
    before.toolCallId === now.toolCallId &&
    before.createdOnBranch === now.createdOnBranch &&
    before.madeWith?.prefix === now.madeWith?.prefix &&
    before.madeWith?.previousThinking === now.madeWith?.previousThinking &&
    before.content === now.content &&
    stableDeepEqual(before.contentBlocks, now.contentBlocks)
  );
}

function stampOf({ api, provider, deployment, model, capturedAt, complete }: RawResponse): RawStamp {
  return { api, provider, deployment, model, capturedAt, complete };
}

function isSameRaw(before: RawStamp, now: RawResponse): boolean {
  return (
    before.capturedAt === now.capturedAt &&
    before.complete === now.complete &&
    before.model === now.model &&
    before.deployment === now.deployment &&
    before.provider === now.provider &&
    before.api === now.api
  );
}
