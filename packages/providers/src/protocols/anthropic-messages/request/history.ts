import type { ContentBlock, ContextItem, NodeId } from '@bough/core';
import { isAssistantMessage, isTextBlock, isToolMessage, isToolUseBlock, sha256 } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import { isKnownGone, newlyGone } from '../../../render/gone-containers.ts';
import { elementsOf, hasLoneSurrogate, parseJson } from '../../../render/json-text.ts';
import type { Thought } from './fragments.ts';
import { canonicalReply, contentFragments, REPLACED, resultFragment, said } from './fragments.ts';
import type { MessageText, Piece, WrittenPiece } from './messages.ts';
import { joinPieces, withoutLastThoughts, withSystemPlaced, withUserSpeaking } from './messages.ts';
import { runsCode } from './provider-tools.ts';
import type { ReplayOptions } from './raw-reply.ts';
import { callIds, isStray, replay } from './raw-reply.ts';
import type { Lookup, ServerTools, StoredReply } from './stored-replies.ts';
import { isEntangled, serverTools, storedReply, summaryIn } from './stored-replies.ts';
import { traitsOf } from '../traits.ts';
import { ToolChanges } from './tool-changes.ts';
import { ToolIds } from './tool-ids.ts';
import type { Uploads } from './uploads.ts';
import { uploadsOf } from './uploads.ts';

export interface History {
  readonly messages: readonly MessageText[];
  readonly system: readonly string[];
  readonly notes: readonly RenderNote[];
  readonly renderings: PreparedRequest['renderings'];
  readonly thoughts: readonly Thought[];
  /** The container in which code ran, or waits for the results that this request brings. */
  readonly container: string | null;
  readonly uploads: Uploads;
  /** Whether what one reply becomes may depend on any other reply, wherever that is. */
  readonly isEntangled: boolean;
}

/**
 * From items to messages: each item becomes a piece; pieces are written, or reused from an earlier rendering, and
 * joined.
 */
export function renderHistory(input: RenderInput): History {
  const { items } = input;
  const lookups = items.map((item) => storedReply(item, input));
  const replies = lookups.map(({ reply }) => reply);
  const keys = renderingKeys(input.deployment);
  const mayRunCode = runsCode(input.providerTools ?? []);
  const server = serverTools(items, replies, {
    runsCode: mayRunCode,
    isGone: (node) => input.mayUseContainers === false || isKnownGone(node, keys, input),
  });
  const uploads = uploadsOf(input, server, mayRunCode, keys);
  const said = withoutLastThoughts(piecesOf(input, lookups, server, uploads));
  const pieces = withSystemPlaced(withUserSpeaking(said, input.summarise === undefined));
  const written = pieces.map((piece) => writePiece(piece, input));
  return {
    messages: joinPieces(written),
    system: traitsOf(input.model).systemMessages ? [] : items.filter(isInstruction).map(textOfInstruction),
    notes: [
      ...server.notes,
      ...replacedCharacters(items),
      ...pieces.flatMap(({ nodeId, notes }) => notes.map((note) => ({ nodeId, ...note }))),
    ],
    renderings: [
      ...written.flatMap(({ rendering }) => rendering ?? []),
      ...(server.gone === null ? [] : newlyGone(server.gone, keys, input)),
      ...uploads.renderings,
    ],
    thoughts: pieces.flatMap(({ blocks }) => blocks.flatMap(({ thought }) => thought ?? [])),
    container: server.container,
    uploads,
    isEntangled:
      uploads.any ||
      replies.some(
        (reply, at) =>
          reply !== null &&
          (reply.container !== null || isEntangled(reply, items[at]?.nodeIds.at(0) === input.summary)),
      ),
  };
}

function piecesOf(
  input: RenderInput,
  lookups: readonly Lookup[],
  server: ServerTools,
  uploads: Uploads,
): readonly Piece[] {
  const { items } = input;
  const { systemMessages } = traitsOf(input.model);
  const summary = summaryIn(lookups.map(({ reply }) => reply));
  const ids = new ToolIds();
  const toolChanges = new ToolChanges(input.tools);
  const pieces: Piece[] = [];
  for (const [at, item] of items.entries()) {
    const { message } = item;
    if (message.role === 'system' && !systemMessages) continue;
    if (at < summary) {
      pieces.push(summarisedPiece(item));
      continue;
    }
    if (message.role === 'system') {
      pieces.push(systemPiece(item, toolChanges.fragments(item)));
      continue;
    }
    if (!isAssistantMessage(message)) {
      pieces.push(withUploads(userPiece(item, ids, input), uploads.of(item)));
      continue;
    }
    const { reply = null, note = null } = lookups[at] ?? {};
    const wireIds = wireIdsOf(items, at, reply, ids);
    const piece =
      reply === null
        ? canonicalPiece(item, wireIds)
        : ownPiece(item, reply, wireIds, {
            keepsServerBlock: (block) => server.keeps(block, at),
            isSentProgram: server.isSent,
          });
    pieces.push(note === null ? piece : { ...piece, notes: [note, ...piece.notes] });
  }
  return pieces;
}

/** Calls in order, each followed by the id under which it is sent. */
type WireIds = readonly string[];

const NO_IDS: WireIds = [];

/** The calls of a reply that have a result before the next reply, each with the id under which it is sent. */
function wireIdsOf(items: readonly ContextItem[], at: number, reply: StoredReply | null, ids: ToolIds): WireIds {
  const item = items[at];
  if (item === undefined || item.answeredCalls.length === 0) return NO_IDS;
  const calls = reply === null ? toolCallIds(item) : callIds(reply.blocks);
  if (calls.length === 0) return NO_IDS;
  const results = new Set<string>();
  for (let behind = at + 1; behind < items.length; behind += 1) {
    const message = items[behind]?.message;
    if (message === undefined || isAssistantMessage(message)) break;
    if (isToolMessage(message)) results.add(message.tool_call_id);
  }
  const sent = calls.filter((id) => item.answeredCalls.includes(id) && results.has(id));
  return sent.flatMap((id) => [id, ids.assign(id, item.nodeIds[0])]);
}

const wireIdIn =
  (wireIds: WireIds) =>
  (id: string): string | null => {
    for (let at = 0; at < wireIds.length; at += 2) if (wireIds[at] === id) return wireIds[at + 1] ?? null;
    return null;
  };

const pairsOf = (wireIds: WireIds): readonly (readonly [string, string])[] =>
  wireIds.flatMap((id, at) => (at % 2 === 0 ? [[id, wireIds[at + 1] ?? ''] as const] : []));

function toolCallIds(item: ContextItem): readonly string[] {
  const blocks: readonly ContentBlock[] = item.message.content;
  return [...new Set(blocks.filter(isToolUseBlock).map((block) => block.id))];
}

function canonicalPiece(item: ContextItem, wireIds: WireIds): Piece {
  const { fragments, notes } = canonicalReply(item.message.content, wireIdIn(wireIds));
  return {
    role: 'assistant',
    isResult: false,
    isOwn: false,
    isPaused: false,
    nodeId: item.nodeIds[0],
    how: `canonical:${named(item.nodeIds, item.message.content, pairsOf(wireIds))}`,
    blocks: fragments.map(said),
    notes,
  };
}

function ownPiece(
  { nodeIds: [nodeId] }: ContextItem,
  { blocks, reasoning, isPaused }: StoredReply,
  wireIds: WireIds,
  server: Pick<ReplayOptions, 'keepsServerBlock' | 'isSentProgram'>,
): Piece {
  const { sent, notes } = replay(blocks, { reasoning, wireId: wireIdIn(wireIds), ...server });
  const kept = blocks.filter(server.keepsServerBlock).map(({ index }) => index);
  // Named only where there are any: what was sent before this distinction existed keeps its name.
  const stray = blocks.filter((block) => isStray(block, server)).map(({ index }) => index);
  return {
    role: 'assistant',
    isResult: false,
    isOwn: true,
    isPaused,
    nodeId,
    how: `raw:${reasoning}:${named(kept, pairsOf(wireIds), ...(stray.length > 0 ? [stray] : []))}`,
    blocks: sent,
    notes,
  };
}

/** A message in whose place the provider's summary is sent. */
function summarisedPiece(item: ContextItem): Piece {
  const detail = 'The summary that the provider made of it is sent in its place.';
  return {
    ...userPart(item),
    role: isAssistantMessage(item.message) ? 'assistant' : 'user',
    how: 'summarised',
    blocks: [],
    notes: [{ reason: 'repaired', detail }],
  };
}

function userPiece(item: ContextItem, ids: ToolIds, input: RenderInput): Piece {
  const { message, nodeIds } = item;
  if (!isToolMessage(message)) return spokenPiece(item);
  const wireId = ids.answer(message.tool_call_id);
  if (wireId === null) {
    const detail = `The result of ${message.tool_call_id} has no call and is not sent.`;
    return { ...userPart(item), how: 'dropped', blocks: [], notes: [{ reason: 'repaired', detail }] };
  }
  // Earlier versions did not mark the results of failed tools: what was sent that way stays that way in the prefix.
  const unmarked = resultPiece(item, wireId, false);
  const isError = item.isError === true && storedBytes(nodeIds[0], unmarked.how, input) === undefined;
  return isError ? resultPiece(item, wireId, true) : unmarked;
}

function withUploads(piece: Piece, ids: readonly string[]): Piece {
  if (ids.length === 0 || piece.blocks.length === 0) return piece;
  const blocks = ids.map((file_id) => said(JSON.stringify({ type: 'container_upload', file_id })));
  return { ...piece, how: `${piece.how}:${named(ids)}`, blocks: [...piece.blocks, ...blocks] };
}

const isInstruction = ({ message }: ContextItem): boolean => message.role === 'system';

function textOfInstruction({ message }: ContextItem): string {
  const blocks: readonly ContentBlock[] = message.content;
  return blocks
    .filter(isTextBlock)
    .map(({ text }) => text)
    .join('');
}

function systemPiece(item: ContextItem, changes: readonly string[]): Piece {
  const spoken = spokenPiece(item);
  if (changes.length === 0) return spoken;
  const blocks = [...changes.map(said), ...spoken.blocks];
  return { ...spoken, how: `${spoken.how}:${named(changes)}`, blocks };
}

function userPart({ message, nodeIds }: ContextItem) {
  const isResult = isToolMessage(message);
  const role = message.role === 'system' ? 'system' : 'user';
  return { role, isResult, isOwn: false, isPaused: false, nodeId: nodeIds[0], notes: [] } as const;
}

function spokenPiece(item: ContextItem): Piece {
  const { content } = item.message;
  const how = `canonical:${named(item.nodeIds, content)}`;
  return { ...userPart(item), how, blocks: contentFragments(content).map(said) };
}

function resultPiece(item: ContextItem, wireId: string, isError: boolean): Piece {
  const content: readonly ContentBlock[] = item.message.content;
  const how = `result:${named(item.nodeIds, content, wireId, isError)}`;
  return { ...userPart(item), how, blocks: [said(resultFragment(wireId, content, isError))] };
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

interface Written extends WrittenPiece {
  readonly rendering: PreparedRequest['renderings'][number] | null;
}

/** What was rendered once under the same circumstances is sent again byte for byte. */
function writePiece(piece: Piece, input: RenderInput): Written {
  const texts = piece.blocks.map(({ text }) => text);
  if (texts.length === 0) return { piece, blocks: texts, rendering: null };
  const bytes = texts.join(',');
  const before = storedBytes(piece.nodeId, piece.how, input);
  if (before === bytes) return { piece, blocks: texts, rendering: null };
  const list = `[${before ?? ''}]`;
  const again = before !== undefined && parseJson(list) !== undefined ? elementsOf(list) : null;
  return again === null
    ? { piece, blocks: texts, rendering: { nodeId: piece.nodeId, key: keyOf(piece.how, input), bytes } }
    : { piece, blocks: again, rendering: null };
}

/** JSON cannot carry half of a surrogate pair; its replacement is noted for every node that it may come from. */
function replacedCharacters(items: readonly ContextItem[]): readonly RenderNote[] {
  return items
    .filter(({ source, message }) => source === 'canonical' && hasLoneSurrogate(JSON.stringify(message.content)))
    .flatMap(({ nodeIds }) => nodeIds.map((nodeId: NodeId) => ({ nodeId, ...REPLACED })));
}
