import type { ContentBlock, ContextItem, NodeId } from '@bough/core';
import { isAssistantMessage, isToolMessage, isToolUseBlock, sha256 } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import { elementsOf, hasLoneSurrogate, parseJson } from '../json-text.ts';
import type { ReplyBlock } from '../reply-block.ts';
import type { Thought } from './fragments.ts';
import { canonicalReply, REPLACED, resultFragment, said, textFragments } from './fragments.ts';
import type { MessageText, Piece } from './messages.ts';
import { joinPieces, withoutLastThoughts, withUserSpeaking } from './messages.ts';
import { callIds, replay } from './raw-reply.ts';
import type { StoredReply } from './stored-replies.ts';
import { serverPairing, storedReply } from './stored-replies.ts';
import { ToolIds } from './tool-ids.ts';

export interface History {
  readonly messages: readonly MessageText[];
  readonly system: readonly string[];
  readonly notes: readonly RenderNote[];
  readonly renderings: PreparedRequest['renderings'];
  readonly thoughts: readonly Thought[];
}

/** From items to messages: each item becomes a piece, pieces are written or taken from an earlier writing, and joined. */
export function renderHistory(input: RenderInput): History {
  const { items } = input;
  const pieces = withUserSpeaking(withoutLastThoughts(piecesOf(input)));
  const written = pieces.map((piece) => ({ piece, ...writePiece(piece, input) }));
  return {
    messages: joinPieces(written.map(({ piece, blocks }) => ({ ...piece, blocks: blocks.map(said) }))),
    system: items.flatMap(({ message }) => (message.role === 'system' ? message.content.map(({ text }) => text) : [])),
    notes: [
      ...replacedCharacters(items),
      ...pieces.flatMap(({ nodeId, notes }) => notes.map((note) => ({ nodeId, ...note }))),
    ],
    renderings: written.flatMap(({ rendering }) => (rendering === null ? [] : [rendering])),
    thoughts: pieces.flatMap(({ blocks }) => blocks.flatMap(({ thought }) => thought ?? [])),
  };
}

function piecesOf(input: RenderInput): readonly Piece[] {
  const { items } = input;
  const lookups = items.map((item) => storedReply(item, input));
  const keeps = serverPairing(
    items,
    lookups.map(({ reply }) => reply),
  );
  const ids = new ToolIds();
  return items.flatMap((item, at): readonly Piece[] => {
    const { message } = item;
    if (message.role === 'system') return [];
    if (!isAssistantMessage(message)) return [userPiece(item, ids, input)];
    const { reply = null, note = null } = lookups[at] ?? {};
    const wireIds = wireIdsOf(item, items.slice(at + 1), reply, ids);
    const piece = replyPiece(item, reply, wireIds, (block) => keeps(block, at));
    return [note === null ? piece : { ...piece, notes: [note, ...piece.notes] }];
  });
}

/** The calls of a reply that have a result before the next reply, each with the id under which it is sent. */
function wireIdsOf(
  item: ContextItem,
  behind: readonly ContextItem[],
  reply: StoredReply | null,
  ids: ToolIds,
): ReadonlyMap<string, string> {
  const results = new Set<string>();
  for (const { message } of behind) {
    if (isAssistantMessage(message)) break;
    if (isToolMessage(message)) results.add(message.tool_call_id);
  }
  const calls = reply === null ? toolCallIds(item) : callIds(reply.blocks);
  const sent = calls.filter((id) => item.answeredCalls.includes(id) && results.has(id));
  return new Map(sent.map((id) => [id, ids.assign(id, item.nodeIds[0])]));
}

function toolCallIds(item: ContextItem): readonly string[] {
  const blocks: readonly ContentBlock[] = item.message.content;
  return [...new Set(blocks.filter(isToolUseBlock).map((block) => block.id))];
}

function replyPiece(
  item: ContextItem,
  reply: StoredReply | null,
  wireIds: ReadonlyMap<string, string>,
  keeps: (block: ReplyBlock) => boolean,
): Piece {
  const [nodeId] = item.nodeIds;
  const wireId = (id: string) => wireIds.get(id) ?? null;
  const isPaused = reply?.isPaused === true;
  const piece = { role: 'assistant', isResult: false, isOwn: reply !== null, isPaused, nodeId } as const;
  if (reply === null) {
    const { fragments, notes } = canonicalReply(item.message.content, wireId);
    const how = `canonical:${named(item.nodeIds, item.message.content, [...wireIds])}`;
    return { ...piece, how, blocks: fragments.map(said), notes };
  }
  const { blocks, reasoning } = reply;
  const { sent, notes } = replay(blocks, { reasoning, wireId, keepsServerBlock: keeps });
  const kept = blocks.filter(keeps).map(({ index }) => index);
  return { ...piece, how: `raw:${reasoning}:${named(kept, [...wireIds])}`, blocks: sent, notes };
}

function userPiece(item: ContextItem, ids: ToolIds, input: RenderInput): Piece {
  const { message, nodeIds } = item;
  const isResult = isToolMessage(message);
  const piece = { role: 'user', isResult, isOwn: false, isPaused: false, nodeId: nodeIds[0], notes: [] } as const;
  if (!isToolMessage(message)) {
    const how = `canonical:${named(nodeIds, message.content)}`;
    return { ...piece, how, blocks: textFragments(message.content).map(said) };
  }
  const wireId = ids.answer(message.tool_call_id);
  if (wireId === null) {
    const detail = `The result of ${message.tool_call_id} has no call and is not sent.`;
    return { ...piece, how: 'dropped', blocks: [], notes: [{ reason: 'repaired', detail }] };
  }
  const how = (isError: boolean): string => `result:${named(nodeIds, message.content, wireId, isError)}`;
  // Earlier versions did not mark the results of failed tools: what was sent so stands so in the prefix.
  const isError = item.isError === true && storedBytes(nodeIds[0], how(false), input) === undefined;
  return { ...piece, how: how(isError), blocks: [said(resultFragment(wireId, message.content, isError))] };
}

export function renderingKeys(deployment: Deployment): string {
  return `anthropic-messages|${deploymentKey(deployment)}|`;
}

function named(...circumstances: readonly unknown[]): string {
  return sha256(JSON.stringify(circumstances));
}

const keyOf = (how: string, { deployment }: RenderInput): string => `${renderingKeys(deployment)}${how}`;

function storedBytes(nodeId: NodeId, how: string, input: RenderInput): string | undefined {
  return input.renderingOf?.(nodeId, keyOf(how, input));
}

/** What was rendered once under the same circumstances is sent again byte for byte. */
function writePiece(
  { nodeId, how, blocks }: Piece,
  input: RenderInput,
): { readonly blocks: readonly string[]; readonly rendering: PreparedRequest['renderings'][number] | null } {
  const texts = blocks.map(({ text }) => text);
  if (texts.length === 0) return { blocks: texts, rendering: null };
  const before = storedBytes(nodeId, how, input);
  const list = `[${before ?? ''}]`;
  const again = before !== undefined && parseJson(list) !== undefined ? elementsOf(list) : null;
  return again === null
    ? { blocks: texts, rendering: { nodeId, key: keyOf(how, input), bytes: texts.join(',') } }
    : { blocks: again, rendering: null };
}

/** JSON cannot carry half of a surrogate pair; that it was replaced is told of every node that it may be from. */
function replacedCharacters(items: readonly ContextItem[]): readonly RenderNote[] {
  return items
    .filter(({ source, message }) => source === 'canonical' && hasLoneSurrogate(JSON.stringify(message.content)))
    .flatMap(({ nodeIds }) => nodeIds.map((nodeId: NodeId) => ({ nodeId, ...REPLACED })));
}
