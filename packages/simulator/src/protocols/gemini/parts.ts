import type { GeminiPart, GeminiTraits } from '@bough/providers';
import type { Reply, ReplyPart } from '../../reply.ts';
import type { World } from '../../world.ts';
import { sign } from './signatures.ts';

export interface PartsOptions {
  readonly model: string;
  readonly traits: GeminiTraits;
  readonly responseId: string;
  /** Without it thoughts are not sent; their signatures are. */
  readonly includeThoughts: boolean;
  readonly streamed: boolean;
}

/** The planned reply as Gemini's parts, signed where Gemini signs. */
export function partsOf(reply: Reply, options: PartsOptions, world: World): readonly GeminiPart[] {
  const parts = reply.parts.flatMap((part) => partOf(part, options, world));
  return options.traits.requiresSignatures
    ? signLikeGemini3(parts, options, world)
    : signLikeGemini2(parts, options, world);
}

function partOf(part: ReplyPart, options: PartsOptions, world: World): readonly GeminiPart[] {
  switch (part.type) {
    case 'thinking':
      return options.includeThoughts ? [{ text: part.text, thought: true }] : [];
    case 'redacted_thinking': {
      // Gemini encrypts no block: what it hides is in the signature of an empty part.
      const empty = { text: '' };
      return [{ ...empty, thoughtSignature: sign(world, options.model, empty, `${options.responseId} ${part.seed}`) }];
    }
    case 'text':
    case 'refusal':
      return [{ text: part.text }];
    case 'tool_call': {
      const id = options.traits.usesCallIds ? { id: world.newId('', 8).toLowerCase() } : {};
      return [{ functionCall: { ...id, name: part.name, args: part.parameters } }];
    }
    case 'unknown_block':
      return [{ [part.name]: { note: 'A part that no client knows.' } }];
  }
}

/** Signs the first call; without a call, the end of the reply, for which a stream has an empty part. */
function signLikeGemini3(parts: readonly GeminiPart[], options: PartsOptions, world: World): readonly GeminiPart[] {
  const call = parts.findIndex((part) => part.functionCall !== undefined);
  if (call >= 0) return parts.map((part, index) => (index === call ? signed(part, options, world) : part));
  const last = parts.at(-1);
  const canCarry = last !== undefined && !options.streamed && last.text !== undefined && isPlain(last);
  return canCarry
    ? [...parts.slice(0, -1), signed(last, options, world)]
    : [...parts, signed({ text: '' }, options, world)];
}

/** Signs the first part that is not a thought, and only if there are calls. */
function signLikeGemini2(parts: readonly GeminiPart[], options: PartsOptions, world: World): readonly GeminiPart[] {
  const first = parts.some((part) => part.functionCall !== undefined) ? parts.findIndex(isPlain) : -1;
  return parts.map((part, index) => (index === first ? signed(part, options, world) : part));
}

function isPlain(part: GeminiPart): boolean {
  return part.thought !== true && part.thoughtSignature === undefined;
}

function signed(part: GeminiPart, { model, responseId }: PartsOptions, world: World): GeminiPart {
  return { ...part, thoughtSignature: sign(world, model, part, responseId) };
}
