import type { GeminiPart } from '@bough/providers';
import type { Reply } from '../../reply.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ChunkOptions {
  readonly model: string;
  readonly responseId: string;
  readonly promptTokens: number;
  /** The part of the prompt that was read from the cache. */
  readonly cachedTokens: number;
  readonly thoughtTokens: number;
  /** What the candidate says about its search, at its end. */
  readonly grounding?: object;
  readonly stop: Reply['stop'];
  /** Set if the reply goes on in another request. */
  readonly continuationToken?: string;
}

const FINISH_REASONS: Readonly<Record<Reply['stop'], string>> = {
  end_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

/** The whole reply in one piece. */
export function wholeReply(parts: readonly GeminiPart[], options: ChunkOptions): Json {
  return chunk(parts, options, tokensIn(parts), options.stop);
}

/** The reply as a stream: text in pieces, everything else whole, and a last chunk that says why it ended. */
export function streamedReply(parts: readonly GeminiPart[], options: ChunkOptions): readonly Json[] {
  const pieces = parts.flatMap(inPieces);
  const last = pieces.at(-1);
  // Gemini sends an empty part after a text or a call; a signed empty part is already that last one.
  const closing: GeminiPart = last?.text === '' ? last : { text: '' };
  const body = last?.text === '' ? pieces.slice(0, -1) : pieces;
  let written = 0;
  const chunks = body.map((piece) => {
    written += tokensIn([piece]);
    return chunk([piece], options, written);
  });
  return [...chunks, chunk([closing], options, written, options.stop)];
}

function chunk(
  parts: readonly GeminiPart[],
  options: ChunkOptions,
  candidateTokens: number,
  stop?: Reply['stop'],
): Json {
  const { model, responseId, promptTokens, cachedTokens, thoughtTokens } = options;
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        ...(stop !== undefined && { ...ending(stop, options), ...options.grounding }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: promptTokens,
      ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
      candidatesTokenCount: candidateTokens,
      totalTokenCount: promptTokens + candidateTokens + thoughtTokens,
      ...(thoughtTokens > 0 && { thoughtsTokenCount: thoughtTokens }),
    },
    modelVersion: model,
    responseId,
  };
}

function ending(stop: Reply['stop'], { continuationToken }: ChunkOptions): Json {
  return continuationToken === undefined
    ? { finishReason: FINISH_REASONS[stop] }
    : { finishReason: 'CONTINUATION', continuationToken };
}

const PIECE = 48;

/** Cut between characters, never inside one. A signed part is one piece: a signature covers its whole part. */
function inPieces(part: GeminiPart): readonly GeminiPart[] {
  if (part.text === undefined || part.thoughtSignature !== undefined) return [part];
  const characters = Array.from(part.text);
  const count = Math.max(1, Math.ceil(characters.length / PIECE));
  return Array.from({ length: count }, (_, index) => ({
    ...part,
    text: characters.slice(index * PIECE, (index + 1) * PIECE).join(''),
  }));
}

export function tokensIn(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
