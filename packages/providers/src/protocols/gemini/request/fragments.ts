import type { ContextItem, NodeId, NonEmptyArray, RawResponse } from '@bough/core';
import { sha256 } from '@bough/core';
import type { Deployment } from '../../../deployment.ts';
import { deploymentKey } from '../../../deployment.ts';
import type { RenderInput, RenderNote } from '../../../protocol.ts';
import { resultText } from '../../../files/text-part.ts';
import { signedPayload } from '../rules/index.ts';
import type { GeminiTraits } from '../traits.ts';
import { traitsOf } from '../traits.ts';
import type { WireResponse } from '../wire.ts';
import { isServerToolPart } from '../wire.ts';
import { mediaParts, userParts } from './files.ts';
import type { ModelParts, SentCall } from './model-parts.ts';
import { canonicalParts, replayParts } from './model-parts.ts';
import type { ReplyPart } from './reply-parts.ts';
import { continuationOf, replyParts } from './reply-parts.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';

/** One item of the context as the text of its parts: this is stored, and sent again byte for byte. */
export interface RenderedItem {
  readonly nodeIds: NonEmptyArray<NodeId>;
  readonly kind: 'user' | 'model' | 'response';
  /** Parts, joined by commas, without the brackets around them. */
  readonly bytes: string;
  readonly calls: readonly SentCall[];
  /** Parts that follow all responses of the same content. */
  readonly behind?: string;
  /** The call that a response answers. */
  readonly answers?: string;
  /** Set if the fragment is new and should be stored. */
  readonly key?: string;
}

export interface Rendered {
  readonly fragments: readonly RenderedItem[];
  readonly notes: readonly RenderNote[];
  /** What the replayed replies contained, for the rules that look for losses. */
  readonly signed: readonly { readonly signature: string; readonly payload: string }[];
  readonly thoughts: readonly string[];
  /** Set if the request goes on with a generation that the one before it could not finish. */
  readonly continuationToken: string | null;
  /** Whether tools that Google runs are part of the history. */
  readonly hasServerTools: boolean;
}

export function renderingKeys(deployment: Deployment): string {
  return `gemini:${deploymentKey(deployment)}:`;
}

export function renderItems(input: RenderInput): Rendered {
  return new Renderer(input).render();
}

/** Processes the items in order, because a response can only be written once its call is known. */
class Renderer {
  readonly #input: RenderInput;
  readonly #traits: GeminiTraits;
  readonly #keyBase: string;
  readonly #fragments: RenderedItem[] = [];
  readonly #notes: RenderNote[] = [];
  readonly #signed: Rendered['signed'][number][] = [];
  readonly #thoughts: string[] = [];
  /** The calls of the newest reply: the only ones that a result can answer. */
  #openCalls = new Map<string, SentCall>();
  #hasServerTools = false;

  constructor(input: RenderInput) {
    this.#input = input;
    this.#traits = traitsOf(input.model);
    this.#keyBase = `${renderingKeys(input.deployment)}${input.model.id}`;
  }

  render(): Rendered {
    const { items, token } = this.#withoutRunning();
    for (const item of items) this.#item(item);
    return {
      fragments: this.#fragments,
      notes: this.#notes,
      signed: this.#signed,
      thoughts: this.#thoughts,
      continuationToken: token,
      hasServerTools: this.#hasServerTools,
    };
  }

  /** A generation that goes on is asked for again with the same contents: what it has said so far is in its token. */
  #withoutRunning(): { readonly items: readonly ContextItem[]; readonly token: string | null } {
    const { items } = this.#input;
    const end = items.findLastIndex((item) => this.#continuation(item) === null) + 1;
    const last = items.at(-1);
    return { items: items.slice(0, end), token: last === undefined ? null : this.#continuation(last) };
  }

  #continuation(item: ContextItem): string | null {
    if (item.message.role !== 'assistant' || item.source !== 'raw' || item.nodeIds.length > 1) return null;
    const raw = this.#input.rawOf(item.nodeIds[0]);
    return raw !== undefined && this.#isOwn(raw) ? continuationOf(raw) : null;
  }

  #isOwn({ api, provider, deployment, model }: RawResponse): boolean {
    const own = this.#input.deployment;
    return (
      api === 'gemini' && provider === own.id && deployment === deploymentKey(own) && model === this.#input.model.id
    );
  }

  #item(item: ContextItem): void {
    switch (item.message.role) {
      case 'assistant':
        return this.#reply(item);
      case 'tool':
        return this.#response(item, item.message.tool_call_id);
      case 'user':
      // Gemini has one system instruction, at the beginning. One that occurs elsewhere is sent as a message, so it is
      // not lost.
      case 'system': {
        return this.#add(item, 'user', userParts(item.message.content), [item.message.content]);
      }
    }
  }

  #reply(item: ContextItem): void {
    const { parts, calls, losses, how } = item.source === 'raw' ? this.#replay(item) : this.#canonical(item);
    for (const loss of losses) this.#note(item, loss.reason, loss.detail);
    const hadCalls = this.#fragments.at(-1)?.kind === 'model' ? this.#openCalls : new Map<string, SentCall>();
    this.#openCalls = new Map([...hadCalls, ...calls.map((call) => [call.callId, call] as const)]);
    this.#add(item, 'model', parts, how, calls);
  }

  #replay(item: ContextItem): ModelParts & { readonly how: readonly unknown[] } {
    const raw = this.#input.rawOf(item.nodeIds[0]);
    if (raw === undefined || raw.api !== 'gemini') {
      this.#note(
        item,
        raw === undefined ? 'raw_missing' : 'foreign_issuer',
        raw === undefined
          ? 'The raw reply is gone; its canonical form is sent, without signatures.'
          : `The reply came from another API (${raw.api}); its canonical form is sent.`,
      );
      return this.#canonical(item);
    }
    const isOwn = this.#isOwn(raw);
    if (!isOwn) {
      this.#note(
        item,
        'foreign_issuer',
        `The signatures were given by ${raw.model} at ${raw.deployment}; they stay out.`,
      );
    }
    const keepSignatures = isOwn && item.reasoning === 'verbatim';
    const reply = replyParts(raw);
    const replayed = replayParts(reply, { ...this.#options(item), keepSignatures });
    this.#hasServerTools ||= replayed.parts.some(isServerToolPart);
    if (replayed.parts.length === 0)
      this.#note(item, 'thinking_not_replayable', 'The reply holds nothing but thoughts.');
    this.#remember(reply, item, keepSignatures);
    return { ...replayed, how: ['raw', keepSignatures, item.answeredCalls] };
  }

  /** Records what the reply contained, so that the finished request can be compared with it. */
  #remember(reply: readonly ReplyPart[], item: ContextItem, keepSignatures: boolean): void {
    const said = new Set(reply.filter(({ part }) => part['thought'] !== true).map(({ part }) => part['text']));
    for (const { part, callId } of reply) {
      const { thought, text, thoughtSignature: signature } = part;
      if (thought === true && typeof text === 'string' && !said.has(text)) this.#thoughts.push(text);
      const isSent = callId === undefined || item.answeredCalls.includes(callId);
      if (keepSignatures && isSent && typeof signature === 'string' && signature !== '') {
        this.#signed.push({ signature, payload: signedPayload(part) });
      }
    }
  }

  #canonical(item: ContextItem): ModelParts & { readonly how: readonly unknown[] } {
    const parts = canonicalParts(item.message.content, this.#options(item));
    return { ...parts, how: ['canonical', item.message.content, item.answeredCalls] };
  }

  #response(item: ContextItem, callId: string): void {
    const call = this.#openCalls.get(callId);
    if (call === undefined) {
      this.#note(item, 'repaired', 'A tool result without its call was left out.');
      return;
    }
    this.#openCalls.delete(callId);
    const text = resultText(item.message.content);
    const media = mediaParts(item.message.content);
    // Since Gemini 3 a response has parts of its own; before, what is no text follows the responses.
    const parts = media.length > 0 && this.#traits.usesCallIds ? { parts: media } : {};
    const answer = (response: Readonly<Record<string, unknown>>): WireResponse => ({
      ...(call.wireId !== undefined && { id: call.wireId }),
      name: call.name,
      response,
      ...parts,
    });
    const output = answer({ output: text });
    // Earlier versions sent tool failures as outputs: what was sent that way stays that way in the prefix.
    const isError = item.isError === true && this.#stored(item, this.#key('response', [output])) === undefined;
    const functionResponse = isError ? answer({ error: text }) : output;
    this.#add(item, 'response', [{ functionResponse }], [functionResponse], [], callId);
    const last = this.#fragments.at(-1);
    if (last === undefined || media.length === 0 || this.#traits.usesCallIds) return;
    const behind = media.map((part) => wellFormedJson(part).json).join(',');
    this.#fragments[this.#fragments.length - 1] = { ...last, behind };
  }

  #add(
    item: ContextItem,
    kind: RenderedItem['kind'],
    parts: readonly unknown[],
    how: readonly unknown[],
    calls: readonly SentCall[] = [],
    answers?: string,
  ): void {
    if (parts.length === 0) return;
    const key = this.#key(kind, how);
    const stored = this.#stored(item, key);
    const written = parts.map((part) => wellFormedJson(part).json).join(',');
    if (written !== parts.map((part) => JSON.stringify(part)).join(',')) {
      this.#note(item, 'repaired', 'Half of a surrogate pair was replaced.');
    }
    const bytes = stored ?? written;
    this.#fragments.push({
      nodeIds: item.nodeIds,
      kind,
      bytes,
      calls,
      ...(answers !== undefined && { answers }),
      ...(stored === undefined && { key }),
    });
  }

  /** Contains all that the bytes depend on besides the stored reply, so that a stored rendering is never stale. */
  #key(kind: RenderedItem['kind'], how: readonly unknown[]): string {
    return `${this.#keyBase}:${kind}:${sha256(JSON.stringify(how)).slice(0, 16)}`;
  }

  #stored(item: ContextItem, key: string): string | undefined {
    return this.#input.renderingOf?.(item.nodeIds[0], key);
  }

  #options(item: ContextItem): { readonly traits: GeminiTraits; readonly answeredCalls: ReadonlySet<string> } {
    return { traits: this.#traits, answeredCalls: new Set(item.answeredCalls) };
  }

  #note(item: ContextItem, reason: RenderNote['reason'], detail: string): void {
    this.#notes.push({ nodeId: item.nodeIds[0], reason, detail });
  }
}
