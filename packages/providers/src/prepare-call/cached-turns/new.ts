import type { AssembledContext, CachedTurn, NodeId, TreeNode } from '@bough/core';
import { behindSummary, keptThoughts, marksOf, withoutLeftOut, withoutThese } from '@bough/core';
import type { PreparedRequest } from '../../protocol.ts';
import type { MessageJson } from '../../render/body-text.ts';
import { joinMessages } from '../../render/body-text.ts';
import type { CallTarget } from '../index.ts';
import type { CallReportLine } from '../report.ts';
import { writeFacts } from './facts.ts';
import { idsIn } from './front.ts';
import type { Side } from './key.ts';
import { cacheSlot, choicesIn, keptFlags, targetKey, turnKey } from './key.ts';

/** A request made from these nodes, with what was found out on the way. */
interface Made {
  readonly nodes: readonly TreeNode[];
  /** The prefix key of what precedes them. */
  readonly prefix: string;
  readonly context: AssembledContext;
  readonly request: PreparedRequest;
  readonly report: readonly CallReportLine[];
}

/** Nodes whose rendering nothing that follows can change, as `[start, end)`. */
interface Closed {
  readonly start: number;
  readonly end: number;
}

const ENCODER = new TextEncoder();

/**
 * The closed turns of a request, cut out of it. Only taken from a request that obeys every rule: a cached turn is never
 * checked again.
 */
export function newCachedTurns(made: Made, target: CallTarget): readonly CachedTurn[] {
  const { nodes, prefix, context, request, report } = made;
  if (request.violations.length > 0 || request.text === null) return [];
  // Instructions that are lifted into the prompt, and changes of tools, concern the beginning of the request, which the
  // prefix key of a target does not know.
  if (context.systemPrompt !== target.systemPrompt || context.tools !== target.tools) return [];
  const summary = new Set(target.summary?.map(({ id }) => id));
  const messages = messagesByTurn(closedTurns(made, summary), nodes, request.text.messages);
  const slot = cacheSlot(target);
  const key = targetKey(target);
  const { thoughts, untrimmedTokens } = context;
  const kept = keptOf(context, target);
  const broken = target.replayBy === 'break' ? nodes.findIndex(({ id }) => id === context.breakNodeId) : -1;
  return messages.map(({ start, end, first, next, json }): CachedTurn => {
    const inside = nodes.slice(start, end);
    const ids = new Set(inside.map(({ id }) => id));
    const lines = report.slice(start, end);
    const own = thoughts.filter(({ nodeId }) => ids.has(nodeId));
    const text = joinMessages(json);
    const files = inside.flatMap(({ id }) => context.sentFiles.get(id) ?? []);
    // The first turn behind a summary holds all that stands for what came before, and is kept with the stored path.
    const isSummarised = inside.some(({ id }) => summary.has(id));
    const stored = inside.filter(({ id }) => !summary.has(id));
    const marks = marksOf(stored);
    const sent = withoutLeftOut(
      behindSummary(inside, [...summary], target.choices),
      withoutThese(target.choices, [...summary]),
    );
    const foreign = sent.findLast((node) => isForeign(node, target))?.id ?? null;
    const side: Side = end <= broken ? 'before' : start <= broken ? 'across' : 'behind';
    return {
      nodeId: stored.at(-1)?.id ?? first.id,
      slot,
      key: turnKey(key, start === 0 ? prefix : (context.prefixes.get(first.id) ?? ''), {
        side,
        chosen: choicesIn(marks, target.choices, isSummarised),
        kept: keptFlags(own, kept),
      }),
      facts: writeFacts(
        {
          prefix: context.prefixes.get(next.id) ?? '',
          estimatedTokens: lines.reduce((total, line) => total + line.estimatedTokens, 0),
          untrimmedTokens: inside.reduce((total, { id }) => total + (untrimmedTokens.get(id) ?? 0), 0),
          isForeign: foreign !== null,
          thoughts: own.length,
          hasFiles: files.length > 0,
        },
        idsIn(text, target.provider.deployment.protocol),
        { foreign, thoughts: own, report: lines, notes: request.notes.filter(({ nodeId }) => ids.has(nodeId)), files },
        marks,
      ),
      bytes: ENCODER.encode(`${text},`),
    };
  });
}

/** Which thoughts are sent back: all of them, unless the model binds them to their prefix. */
function keptOf({ thoughts }: AssembledContext, { provider, model }: CallTarget): ReadonlySet<NodeId> {
  return provider.modelInfo(model).bindsThinkingToPrefix
    ? keptThoughts(thoughts)
    : new Set(thoughts.map(({ nodeId }) => nodeId));
}

/**
 * A turn is closed if it ends with a reply that is sent and a user message that is sent follows: neither is joined to
 * the other, and nothing later answers its calls. A turn without such an end is merged with the next one. A turn that
 * names a container stays open, as everything behind it does: it becomes text when the container is gone. A summary
 * with all that it stands for belongs to the first turn.
 */
function closedTurns(
  { nodes, context: { items, report }, request: { openNodes = [] } }: Made,
  summary: ReadonlySet<NodeId>,
): readonly Closed[] {
  const open = new Set(openNodes);
  const places = new Map(nodes.map(({ id }, index) => [id, index]));
  const head = nodes.findLastIndex(({ id }) => summary.has(id));
  const closed: Closed[] = [];
  let start = 0;
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    // What brings the files of a reply is spoken in the name of the user, and belongs to the reply.
    if (item.message.role !== 'user' || item.synthetic || before?.message.role !== 'assistant') continue;
    const end = places.get(item.nodeIds[0]) ?? 0;
    if (end < head) continue;
    if (!nodes.slice(start, end).every((node) => isPlain(node) && !open.has(node.id))) break;
    // A raw that is missing now may be available next time.
    if (report.slice(start, end).some(({ reasons }) => reasons.includes('raw_missing'))) break;
    closed.push({ start, end });
    start = end;
  }
  return closed;
}

/** A node that itself says who made it. */
function isPlain({ role, provider, modelUsed }: TreeNode): boolean {
  return role !== 'assistant' || (provider !== null && modelUsed !== null);
}

function isForeign({ role, isError, provider, modelUsed }: TreeNode, target: CallTarget): boolean {
  if (role !== 'assistant' || isError) return false;
  return provider !== target.provider.deployment.id || modelUsed !== target.model;
}

interface WrittenTurn extends Closed {
  readonly first: TreeNode;
  /** The node that follows it. */
  readonly next: TreeNode;
  readonly json: readonly MessageJson[];
}

/**
 * The messages of each closed turn, up to the first turn that does not begin with its own message: that one was joined
 * to another.
 */
function messagesByTurn(
  closed: readonly Closed[],
  nodes: readonly TreeNode[],
  messages: readonly MessageJson[],
): readonly WrittenTurn[] {
  const written: WrittenTurn[] = [];
  let at = 0;
  for (const { start, end } of closed) {
    const [first, next] = [nodes[start], nodes[end]];
    let behind = at;
    while (behind < messages.length && messages[behind]?.nodeId !== next?.id) behind += 1;
    if (first === undefined || next === undefined || behind === at || behind === messages.length) break;
    written.push({ start, end, first, next, json: messages.slice(at, behind) });
    at = behind;
  }
  return written;
}
