import type { ContentBlock, ContextItem, NodeId } from '@bough/core';
import { isAssistantMessage, isToolMessage, isToolUseBlock, sha256 } from '@bough/core';
import { deploymentKey } from '../../../deployment.ts';
import type { PreparedRequest, RenderInput, RenderNote } from '../../../protocol.ts';
import { elementsOf, hasLoneSurrogate, parseJson } from '../json-text.ts';
import { readsThinkingOf } from '../models.ts';
import { readRaw } from '../raw.ts';
import type { ReplyBlock } from '../reply-block.ts';
import { traitsOf } from '../traits.ts';
import { isServerCall, isServerResult } from '../wire.ts';
import type { Note } from './fragments.ts';
import { canonicalReply, REPLACED, resultFragment, textFragments } from './fragments.ts';
import { callIds, replay } from './raw-reply.ts';
import { ToolIds } from './tool-ids.ts';

/** One message of the request: its content blocks as JSON text. */
export interface MessageText {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly string[];
  /** The node that its first block came from, to report what is done to the message. */
  readonly nodeId: NodeId;
}

export interface History {
  readonly messages: readonly MessageText[];
  readonly system: readonly string[];
  readonly notes: readonly RenderNote[];
  readonly renderings: PreparedRequest['renderings'];
  readonly tokens: readonly string[];
  readonly thoughts: readonly string[];
}

/** What one item became. Results come first in the message that it joins. */
interface Piece {
  readonly role: 'user' | 'assistant';
  readonly isResult: boolean;
  readonly blocks: readonly string[];
  readonly nodeId: NodeId;
}

/** A stored reply that its own provider gets back. */
interface StoredReply {
  readonly blocks: readonly ReplyBlock[];
  readonly reasoning: 'verbatim' | 'omit' | 'unreadable';
}

export function renderHistory(input: RenderInput): History {
  return new HistoryRenderer(input).render();
}

class HistoryRenderer {
  readonly #input: RenderInput;
  readonly #ids = new ToolIds();
  readonly #notes: RenderNote[] = [];
  readonly #renderings: { nodeId: NodeId; key: string; bytes: string }[] = [];
  readonly #tokens: string[] = [];
  readonly #thoughts: string[] = [];

  constructor(input: RenderInput) {
    this.#input = input;
  }

  render(): History {
    const { items } = this.#input;
    const stored = items.map((item) => this.#stored(item));
    const keeps = serverPairing(items, stored);
    const pieces = items.flatMap((item, at) => {
      const reply = stored[at];
      if (isAssistantMessage(item.message)) return [this.#reply(item, at, reply, (block) => keeps(block, at))];
      return item.message.role === 'system' ? [] : this.#userPiece(item);
    });
    return {
      messages: join(pieces),
      system: items.flatMap(({ message }) =>
        message.role === 'system' ? message.content.map((block) => block.text) : [],
      ),
      notes: this.#notes,
      renderings: this.#renderings,
      tokens: this.#tokens,
      thoughts: this.#thoughts,
    };
  }

  /** The original reply, where it is kept and this deployment made it. */
  #stored(item: ContextItem): StoredReply | null {
    const [nodeId, ...others] = item.nodeIds;
    if (item.source !== 'raw' || !isAssistantMessage(item.message) || others.length > 0) return null;
    const { deployment, model, rawOf } = this.#input;
    const raw = rawOf(nodeId);
    if (raw === undefined) {
      this.#note(nodeId, {
        reason: 'raw_missing',
        detail: 'The original reply was not kept; its text and calls are sent.',
      });
      return null;
    }
    if (
      raw.api !== 'anthropic-messages' ||
      raw.provider !== deployment.id ||
      raw.deployment !== deploymentKey(deployment)
    ) {
      this.#note(nodeId, {
        reason: 'foreign_issuer',
        detail: `Made by ${raw.deployment}; its text and calls are sent.`,
      });
      return null;
    }
    const readable = readsThinkingOf(model.id, traitsOf(model), raw.model);
    const reasoning = item.reasoning === 'omit' ? 'omit' : readable ? 'verbatim' : 'unreadable';
    return { blocks: readRaw(raw).fold.blocks, reasoning };
  }

  #reply(
    item: ContextItem,
    at: number,
    stored: StoredReply | null | undefined,
    keeps: (block: ReplyBlock) => boolean,
  ): Piece {
    const [nodeId] = item.nodeIds;
    const wireIds = this.#wireIds(item, at, stored);
    const wireId = (id: string) => wireIds.get(id) ?? null;
    const calls = JSON.stringify([...wireIds]);
    if (stored == null) {
      const { fragments, notes } = canonicalReply(item.message.content, wireId);
      this.#noteReplacements(item);
      for (const note of notes) this.#note(nodeId, note);
      const how = `canonical:${sha256(JSON.stringify([item.nodeIds, item.message.content, calls]))}`;
      return { role: 'assistant', isResult: false, blocks: this.#reuse(nodeId, how, fragments), nodeId };
    }
    const { reasoning } = stored;
    const next = this.#input.items[at + 1]?.message;
    const continued = next !== undefined && isAssistantMessage(next);
    const kept = stored.blocks.filter(keeps).map((block) => block.index);
    const sent = replay(stored.blocks, { reasoning, wireId, continued, keepsServerBlock: keeps });
    for (const note of sent.notes) this.#note(nodeId, note);
    this.#tokens.push(...sent.tokens);
    this.#thoughts.push(...sent.thoughts);
    const how = `raw:${reasoning}:${sha256(JSON.stringify([kept, calls, continued]))}`;
    return { role: 'assistant', isResult: false, blocks: this.#reuse(nodeId, how, sent.fragments), nodeId };
  }

  /** The calls of a reply that have a result before the next reply, each with the id under which it is sent. */
  #wireIds(item: ContextItem, at: number, stored: StoredReply | null | undefined): ReadonlyMap<string, string> {
    const results = new Set<string>();
    for (const { message } of this.#input.items.slice(at + 1)) {
      if (isAssistantMessage(message)) break;
      if (isToolMessage(message)) results.add(message.tool_call_id);
    }
    const calls = stored == null ? toolCallIds(item) : callIds(stored.blocks);
    const sent = calls.filter((id) => item.answeredCalls.includes(id) && results.has(id));
    return new Map(sent.map((id) => [id, this.#ids.assign(id, item.nodeIds[0])]));
  }

  #userPiece(item: ContextItem): readonly Piece[] {
    const [nodeId] = item.nodeIds;
    const { message } = item;
    const content = JSON.stringify([item.nodeIds, message.content]);
    this.#noteReplacements(item);
    if (!isToolMessage(message)) {
      const blocks = this.#reuse(nodeId, `canonical:${sha256(content)}`, textFragments(message.content));
      return [{ role: 'user', isResult: false, blocks, nodeId }];
    }
    const wireId = this.#ids.answer(message.tool_call_id);
    if (wireId === null) {
      this.#note(nodeId, {
        reason: 'repaired',
        detail: `The result of ${message.tool_call_id} has no call and is not sent.`,
      });
      return [];
    }
    const how = `result:${sha256(content + wireId + String(item.synthetic))}`;
    const blocks = this.#reuse(nodeId, how, [resultFragment(wireId, message.content, item.synthetic)]);
    return [{ role: 'user', isResult: true, blocks, nodeId }];
  }

  /** What was rendered once under the same circumstances is sent again byte for byte. */
  #reuse(nodeId: NodeId, how: string, fragments: readonly string[]): readonly string[] {
    const key = `anthropic-messages|${deploymentKey(this.#input.deployment)}|${how}`;
    const before = this.#input.renderingOf?.(nodeId, key);
    const bytes = `[${before ?? ''}]`;
    const again = before !== undefined && parseJson(bytes) !== undefined ? elementsOf(bytes) : null;
    if (again !== null) return again;
    this.#renderings.push({ nodeId, key, bytes: fragments.join(',') });
    return fragments;
  }

  /** JSON cannot carry half of a surrogate pair; that it was replaced is told of every node that it may be from. */
  #noteReplacements({ message, nodeIds }: ContextItem): void {
    if (!hasLoneSurrogate(JSON.stringify(message.content))) return;
    for (const nodeId of nodeIds) this.#note(nodeId, REPLACED);
  }

  #note(nodeId: NodeId, note: Note): void {
    this.#notes.push({ nodeId, ...note });
  }
}

/**
 * Calls of the provider's own tools go back with their results only. A call without one may stay where the provider is to
 * run it next: in the last reply, with nothing behind it but results.
 */
function serverPairing(
  items: readonly ContextItem[],
  stored: readonly (StoredReply | null)[],
): (block: ReplyBlock, at: number) => boolean {
  const idsOf = (matches: (block: ReplyBlock) => boolean, key: string) =>
    new Set(
      stored.flatMap((reply) =>
        (reply?.blocks ?? []).filter((block) => block.whole && matches(block)).map((block) => block.text(key) ?? ''),
      ),
    );
  const called = idsOf(isServerCall, 'id');
  const answered = idsOf(isServerResult, 'tool_use_id');
  const last = items.findLastIndex(({ message }) => isAssistantMessage(message));
  const isPending = items.slice(last + 1).every(({ message }) => isToolMessage(message));
  return (block, at) => {
    if (isServerResult(block)) return called.has(block.text('tool_use_id') ?? '');
    if (!isServerCall(block)) return true;
    return answered.has(block.text('id') ?? '') || (isPending && at === last);
  };
}

function toolCallIds(item: ContextItem): readonly string[] {
  const blocks: readonly ContentBlock[] = item.message.content;
  return [...new Set(blocks.filter(isToolUseBlock).map((block) => block.id))];
}

/** Neighbours of one role become one message, results first; a message of which nothing is left is not sent. */
function join(pieces: readonly Piece[]): readonly MessageText[] {
  const runs: Piece[][] = [];
  for (const piece of pieces) {
    if (piece.blocks.length === 0) continue;
    const last = runs.at(-1);
    if (last?.[0]?.role === piece.role) last.push(piece);
    else runs.push([piece]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined) return [];
    const ordered = [...run.filter((piece) => piece.isResult), ...run.filter((piece) => !piece.isResult)];
    return [{ role: first.role, nodeId: first.nodeId, blocks: ordered.flatMap((piece) => piece.blocks) }];
  });
}
