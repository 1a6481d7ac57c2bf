import type { ContentBlock } from '@bough/core';
import { isPlainObject, isReasoningBlock, isTextBlock, isToolUseBlock } from '@bough/core';
import type { RenderNote } from '../../../protocol.ts';
import { SKIP_SIGNATURE } from '../signature.ts';
import type { GeminiTraits } from '../traits.ts';
import type { WireCall, WirePart } from '../wire.ts';
import { isServerToolPart, payloadOf } from '../wire.ts';
import type { ReplyPart } from './reply-parts.ts';

/** A call that is sent: what its response has to repeat. */
export interface SentCall {
  readonly callId: string;
  readonly name: string;
  /** Absent if the call is sent without an id. */
  readonly wireId?: string;
}

/** What a reply becomes in a request. */
export interface ModelParts {
  readonly parts: readonly WirePart[];
  readonly calls: readonly SentCall[];
  readonly losses: readonly Pick<RenderNote, 'reason' | 'detail'>[];
}

export interface ReplayOptions {
  readonly traits: GeminiTraits;
  /** Calls without a result are not sent. */
  readonly answeredCalls: ReadonlySet<string>;
}

/**
 * Gemini's own parts, to be sent back. Thoughts are for reading and are left out; every other part is kept, with its
 * signature. If signatures may not be sent back, they are removed: a part under someone else's signature is rejected.
 */
export function replayParts(
  reply: readonly ReplyPart[],
  { traits, answeredCalls, keepSignatures }: ReplayOptions & { readonly keepSignatures: boolean },
): ModelParts {
  const parts: WirePart[] = [];
  const calls: SentCall[] = [];
  const losses: ModelParts['losses'][number][] = [];
  for (const { part: own, callId } of reply) {
    if (callId !== undefined && !answeredCalls.has(callId)) continue;
    const part = keepSignatures ? own : withoutSignature(own);
    const isSigned = isSignedPart(part);
    if (part['thought'] === true) {
      // A signature on the thought itself is sent back with it, whole: neither may be changed without the other.
      if (isSigned) parts.push(part);
      continue;
    }
    if (part['text'] === '' && !isSigned) continue;
    if (isServerToolPart(part) && !isSigned && traits.requiresSignatures) {
      const detail = 'What a tool of Google did goes back only with its signature.';
      losses.push({ reason: 'custom_block_not_sent', detail });
      continue;
    }
    if (payloadOf(part) === undefined) {
      losses.push({
        reason: 'custom_block_not_sent',
        detail: `A part that is unknown here: ${Object.keys(part).join(', ')}.`,
      });
      continue;
    }
    parts.push(part);
    if (callId !== undefined && isPlainObject(part['functionCall'])) calls.push(sentCall(callId, part['functionCall']));
  }
  return { parts: signFirstCall(joinPlainText(parts), traits), calls, losses };
}

const isSignedPart = ({ thoughtSignature: signature }: Readonly<Record<string, unknown>>): boolean =>
  typeof signature === 'string' && signature !== '';

/** A reply from another issuer, from its canonical blocks. Its reasoning is left out: this model could not read it. */
export function canonicalParts(blocks: readonly ContentBlock[], { traits, answeredCalls }: ReplayOptions): ModelParts {
  const parts: WirePart[] = [];
  const calls: SentCall[] = [];
  const losses: ModelParts['losses'][number][] = [];
  for (const block of blocks) {
    if (isTextBlock(block)) {
      if (block.text !== '') parts.push({ text: block.text });
    } else if (isToolUseBlock(block)) {
      if (!answeredCalls.has(block.id)) continue;
      const id = traits.usesCallIds ? { id: block.id } : {};
      const functionCall: WireCall = { ...id, name: block.name, args: block.parameters };
      parts.push({ functionCall });
      calls.push(sentCall(block.id, functionCall));
    } else if (!isReasoningBlock(block)) {
      losses.push({ reason: 'custom_block_not_sent', detail: `A block of the type "${block.type}".` });
    }
  }
  return { parts: signFirstCall(parts, traits), calls, losses };
}

/** A stream cuts a text anywhere; its plain pieces become one part again. A signed part is never joined to anything. */
function joinPlainText(parts: readonly WirePart[]): readonly WirePart[] {
  const joined: WirePart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before !== undefined && isPlainText(before) && isPlainText(part)) {
      joined[joined.length - 1] = { text: `${before.text}${part.text}` };
    } else {
      joined.push(part);
    }
  }
  return joined;
}

function isPlainText(part: WirePart): part is WirePart & { readonly text: string } {
  return typeof part.text === 'string' && Object.keys(part).length === 1;
}

/**
 * A step whose first call lost its signature, or never had one, gets the value documented for that case. This applies
 * to every step, not only where it is required now: a reply is rendered once, and must read the same when its turn is
 * an earlier one.
 */
function signFirstCall(parts: readonly WirePart[], traits: GeminiTraits): readonly WirePart[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined);
  if (first < 0 || !traits.requiresSignatures || parts[first]?.thoughtSignature) return parts;
  return parts.map((part, index) => (index === first ? { ...part, thoughtSignature: SKIP_SIGNATURE } : part));
}

function sentCall(callId: string, { id, name }: Readonly<Record<string, unknown>>): SentCall {
  return {
    callId,
    name: typeof name === 'string' ? name : '',
    ...(typeof id === 'string' && id !== '' && { wireId: id }),
  };
}

function withoutSignature(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { thoughtSignature: _, ...rest } = part;
  return rest;
}
