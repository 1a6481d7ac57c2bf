import type { AssistantMessage, ContentBlock, ContextItem, RawResponse } from '@bough/core';
import { deriveTextFromBlocks, isKnownBlock, isTextBlock, isToolUseBlock, toolUseAsText } from '@bough/core';
import type { RenderNote } from '../../../protocol.ts';
import { googleSignature } from '../response/calls.ts';
import { replyOfRaw } from '../response/reply.ts';
import type { AssistantWire, WireCall } from '../schema.ts';
import { foreignToolId } from './tool-ids.ts';
import type { KeptReasoning } from './reasoning.ts';
import { hasReasoning, keepReasoning, plainText, withRefusal } from './reasoning.ts';
import type { Target } from './target.ts';
import { demandsReasoning, isIssuer } from './target.ts';

type Note = Omit<RenderNote, 'nodeId'>;

/** An assistant message, rendered. */
export interface RenderedAssistant {
  /** Null if nothing is left to send. */
  readonly message: AssistantWire | null;
  /**
   * The calls that were sent as calls: canonical id → id on the wire. Results of other calls have no call to answer.
   */
  readonly callIds: ReadonlyMap<string, string>;
  /** The calls whose results are part of the text. */
  readonly told: ReadonlySet<string>;
  /** How the message was made, for the key of its rendering. */
  readonly how: string;
  readonly notes: readonly Note[];
}

/** What is known about a reply, whatever its source. */
interface Substance {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly wire: WireCall }[];
  readonly reasoning: KeptReasoning | null;
  readonly how: string;
  readonly notes: readonly Note[];
}

export function renderAssistant(
  item: ContextItem & { readonly message: AssistantMessage },
  raw: RawResponse | undefined,
  target: Target,
  resultOf: (callId: string) => string,
): RenderedAssistant {
  if (item.source === 'canonical') return finish(fromBlocks(item, target), target, resultOf);
  // A reply that came over another protocol cannot be read here; its blocks say what it said.
  if (raw?.api === 'openai-chat') return finish(fromRaw(item, raw, target), target, resultOf);
  const substance = fromBlocks(item, target);
  return finish({ ...substance, notes: [unreadable(raw), ...substance.notes] }, target, resultOf);
}

function unreadable(raw: RawResponse | undefined): Note {
  return raw === undefined
    ? { reason: 'raw_missing', detail: 'The raw reply is gone; its text and tool calls were sent.' }
    : { reason: 'foreign_issuer', detail: 'The reply came over another protocol; its text and tool calls were sent.' };
}

function fromRaw(item: ContextItem, raw: RawResponse, target: Target): Substance {
  const reply = replyOfRaw(raw);
  const own = isIssuer(raw, target.issuer);
  const reasoning = own && item.reasoning === 'verbatim' ? keepReasoning(reply, target.quirks) : null;
  const sent = reply.calls.filter((call) => reply.wholeCalls.has(call.id) && item.answeredCalls.includes(call.id));
  return {
    text: plainText(reply),
    calls: sent.map((call) => ({
      id: call.id,
      wire: {
        id: own ? call.id : foreignToolId(call.id, target.quirks.toolIds),
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
        ...(own &&
          target.quirks.callSignatures !== 'none' &&
          call.extraContent && { extra_content: call.extraContent }),
      },
    })),
    reasoning,
    how: `raw,${reasoning === null ? 'out' : 'kept'}`,
    notes: [
      ...(reasoning === null && item.reasoning === 'verbatim' && hasReasoning(reply) ? [whyLeftOut(own)] : []),
      ...customBlocks(item.message.content),
    ],
  };
}

function whyLeftOut(own: boolean): Note {
  return own
    ? { reason: 'thinking_not_replayable', detail: 'This server takes no reasoning back, or the reasoning broke off.' }
    : { reason: 'foreign_issuer', detail: 'The reasoning belongs to another server and was left out.' };
}

function fromBlocks(item: ContextItem, target: Target): Substance {
  const content: readonly ContentBlock[] = item.message.content;
  const calls = content.filter(isToolUseBlock).filter((call) => item.answeredCalls.includes(call.id));
  return {
    text: textOf(item),
    calls: calls.map((call) => ({
      id: call.id,
      wire: {
        id: foreignToolId(call.id, target.quirks.toolIds),
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.parameters) },
      },
    })),
    reasoning: null,
    how: 'canonical',
    notes: customBlocks(content),
  };
}

/**
 * The text of an item. Joined messages stay paragraphs: run together, the last and first words of two sentences would
 * merge.
 */
export function textOf(item: ContextItem): string {
  const content: readonly ContentBlock[] = item.message.content;
  const text =
    item.nodeIds.length > 1
      ? content
          .filter(isTextBlock)
          .map((block) => block.text)
          .filter((part) => part !== '')
          .join('\n\n')
      : deriveTextFromBlocks(content);
  return withRefusal(text, refusalOf(content));
}

function refusalOf(content: readonly ContentBlock[]): string {
  const refusal = content.find((block) => block.type === 'refusal');
  return refusal && 'refusal' in refusal && typeof refusal.refusal === 'string' ? refusal.refusal : '';
}

function customBlocks(content: readonly ContentBlock[]): Note[] {
  const types = new Set(
    content.filter((block) => !isKnownBlock(block) && block.type !== 'refusal').map((block) => block.type),
  );
  return types.size === 0
    ? []
    : [{ reason: 'custom_block_not_sent', detail: `This API has no place for: ${[...types].join(', ')}.` }];
}

/** Assembles a message, and satisfies what the server requires of it without inventing a thought. */
function finish(substance: Substance, target: Target, resultOf: (callId: string) => string): RenderedAssistant {
  const { quirks } = target;
  const demanded = demandsReasoning(target, substance.calls.length > 0);
  const unsigned = quirks.callSignatures === 'demanded' && !isSigned(substance.calls[0]?.wire);
  const missing = demanded && substance.reasoning === null;
  if (substance.calls.length > 0 && (unsigned || (missing && quirks.blankReasoning === null))) {
    return asText(substance, resultOf);
  }
  const fields =
    missing &&
    quirks.blankReasoning !== null &&
    (quirks.reasoning === 'reasoning_content' || quirks.reasoning === 'reasoning')
      ? { [quirks.reasoning]: quirks.blankReasoning }
      : withoutEmpty(substance.reasoning?.fields ?? {}, demanded ? (quirks.blankReasoning ?? '') : null);
  return {
    message: message(substance, fields, quirks.toolOnlyContent),
    callIds: new Map(substance.calls.map(({ id, wire }) => [id, wire.id])),
    told: new Set(),
    how: `${substance.how},${missing ? 'blank' : 'as-is'}`,
    notes: [...substance.notes, ...(missing ? [BLANK] : []), ...rewrittenIds(substance)],
  };
}

const BLANK: Note = {
  reason: 'thinking_not_replayable',
  detail: 'The server wants reasoning here and nobody has it: the field was left blank.',
};

function rewrittenIds({ calls }: Substance): Note[] {
  const count = calls.filter(({ id, wire }) => id !== wire.id).length;
  return count === 0 ? [] : [{ reason: 'tool_id_rewritten', detail: `Tool call ids were rewritten: ${count}.` }];
}

/**
 * A server that requires reasoning may treat its own empty one as missing: the blank that it accepts is sent instead.
 */
function withoutEmpty(fields: KeptReasoning['fields'], blank: string | null): KeptReasoning['fields'] {
  if (fields.reasoning_content !== '') return fields;
  return blank === null ? {} : { reasoning_content: blank };
}

function isSigned(call: WireCall | undefined): boolean {
  return call === undefined || googleSignature(call.extra_content ?? null) !== null;
}

/** Calls that the server would refuse are described in words, with their results: nothing that was found is lost. */
function asText(substance: Substance, resultOf: (callId: string) => string): RenderedAssistant {
  const told = substance.calls.map(({ id, wire }) =>
    toolUseAsText(wire.function.name, wire.function.arguments, resultOf(id)),
  );
  const text = [substance.text, ...told].filter((part) => part.trim() !== '').join('\n\n');
  return {
    message: { role: 'assistant', content: text },
    callIds: new Map(),
    told: new Set(substance.calls.map(({ id }) => id)),
    how: `${substance.how},told`,
    notes: [
      ...substance.notes,
      {
        reason: 'repaired',
        detail: 'The server wants signed reasoning with these tool calls and nobody has it: they were sent as text.',
      },
    ],
  };
}

function message(
  substance: Substance,
  fields: KeptReasoning['fields'],
  toolOnly: 'null' | 'empty' | 'omitted',
): AssistantWire | null {
  const { calls, reasoning, text } = substance;
  const empty = text.trim() === '';
  if (empty && calls.length === 0) return null;
  const content = reasoning?.content ?? (empty ? null : text);
  const absent =
    content === null ? { null: { content: null }, empty: { content: '' }, omitted: {} }[toolOnly] : { content };
  return {
    role: 'assistant',
    ...absent,
    ...fields,
    ...(calls.length > 0 && { tool_calls: calls.map(({ wire }) => wire) }),
  };
}
