import type { AttachedBlock } from '../blocks/index.ts';
import { isAttachedBlock } from '../blocks/index.ts';
import type { ToolDefinition } from '../entities/index.ts';
import { memoized } from '../memo/index.ts';
import type { Message } from '../messages/index.ts';
import { estimateFileTokens } from './files.ts';

/**
 * Estimates tokens without a vocabulary, by splitting the text as byte-pair tokenizers do before they merge: words with
 * the space before them, numbers in groups of three, runs of punctuation, line breaks with their indentation. One pass,
 * no allocation. The tests hold it within 15 % of a real tokenizer on English, code, Chinese, mixed text and emoji.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const start = index;
    const kind = kindAt(text, index);
    index += 1;
    switch (kind) {
      case LOWER:
      case UPPER:
        // A word ends at a capital, so that camelCase is several words, as it is to tokenizers.
        while (index < text.length && kindAt(text, index) === LOWER) index += 1;
        if (index === start + 1) while (index < text.length && kindAt(text, index) === UPPER) index += 1;
        tokens += wordTokens(index - start);
        break;
      case DIGIT:
        while (index < text.length && index - start < 3 && kindAt(text, index) === DIGIT) index += 1;
        tokens += 1;
        break;
      case SPACE:
        // One space belongs to the word after it; more of them are indentation.
        while (index < text.length && kindAt(text, index) === SPACE) index += 1;
        if (index - start > 1 || index === text.length) tokens += 1;
        break;
      case NEWLINE:
        while (index < text.length && kindAt(text, index) === NEWLINE) index += 1;
        // Line breaks after punctuation are part of its token.
        if (start === 0 || kindAt(text, start - 1) !== PUNCTUATION) tokens += 1;
        break;
      case PUNCTUATION:
        while (index < text.length && kindAt(text, index) === PUNCTUATION) index += 1;
        tokens += punctuationTokens(index - start);
        break;
      case ALPHABETIC:
        tokens += ALPHABETIC_TOKENS;
        break;
      case IDEOGRAPH:
        tokens += IDEOGRAPH_TOKENS;
        break;
      case WIDE_PUNCTUATION:
        tokens += WIDE_PUNCTUATION_TOKENS;
        break;
      case SURROGATE:
        tokens += SURROGATE_TOKENS;
        break;
      default:
        tokens += OTHER_TOKENS;
    }
  }
  return Math.ceil(tokens);
}

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const PUNCTUATION = 5;
const ALPHABETIC = 6;
const IDEOGRAPH = 7;
const WIDE_PUNCTUATION = 8;
const SURROGATE = 9;
const OTHER = 10;

/** Cyrillic, Greek, Arabic, Hebrew, accented Latin …: words of several characters per token. */
const ALPHABETIC_TOKENS = 0.28;
const IDEOGRAPH_TOKENS = 0.72;
const WIDE_PUNCTUATION_TOKENS = 0.75;
/** Half of an emoji outside the basic plane. */
const SURROGATE_TOKENS = 0.85;
/** Joiners, variation selectors, symbols. */
const OTHER_TOKENS = 1;

function wordTokens(length: number): number {
  return length <= 8 ? 1 : 1 + (length - 8) / 6;
}

function punctuationTokens(length: number): number {
  return length <= 2 ? 1 : 1 + (length - 2) / 3;
}

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return ASCII[code] ?? OTHER;
  if (code < 0x0900) return ALPHABETIC;
  if (code >= 0x3040 && code <= 0x9fff) return IDEOGRAPH;
  if (code >= 0xac00 && code <= 0xd7a3) return IDEOGRAPH;
  if (code >= 0x3000 && code < 0x3040) return WIDE_PUNCTUATION;
  if (code >= 0xff00 && code <= 0xffef) return WIDE_PUNCTUATION;
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  if (code >= 0x2010 && code <= 0x2027) return PUNCTUATION;
  return OTHER;
}

const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code === 0x20 || code === 0x09) return SPACE;
  if (code === 0x0a || code === 0x0d) return NEWLINE;
  return PUNCTUATION;
});

/** What the wire format adds around each message and each tool. */
const MESSAGE_OVERHEAD = 4;
const TOOL_OVERHEAD = 8;

/** What a file costs depends on the model; everything else is counted once per message. */
export function estimateMessageTokens(
  message: Message,
  ofFile: (block: AttachedBlock) => number = estimateFileTokens,
): number {
  const { tokens, files } = countedOf(message);
  return files.reduce((sum, file) => sum + ofFile(file), tokens);
}

/** Counted once per message: a long conversation asks for the same counts with every request. */
const countedOf = memoized(
  (message: Message): { readonly tokens: number; readonly files: readonly AttachedBlock[] } => {
    let tokens = MESSAGE_OVERHEAD;
    const files: AttachedBlock[] = [];
    for (const block of message.content) {
      if (isAttachedBlock(block)) files.push(block);
      else tokens += estimateBlockTokens(block);
    }
    return { tokens, files };
  },
);

function estimateBlockTokens(block: Message['content'][number]): number {
  // Texts are counted as they are; everything else is sent as JSON, whatever its type.
  if (block.type === 'text' && 'text' in block && typeof block.text === 'string') return estimateTokens(block.text);
  if (block.type === 'thinking' && 'thinking' in block && typeof block.thinking === 'string') {
    return estimateTokens(block.thinking);
  }
  return estimateTokens(JSON.stringify(block));
}

export interface EstimatedRequest {
  readonly systemPrompt: string | null;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
}

/** Everything that the model will read: system prompt, tools and messages. */
export function estimateInputTokens(request: EstimatedRequest): number {
  let tokens = estimateFixedTokens(request);
  for (const message of request.messages) tokens += estimateMessageTokens(message);
  return tokens;
}

/** The part that every request of a branch carries. */
export function estimateFixedTokens(request: Pick<EstimatedRequest, 'systemPrompt' | 'tools'>): number {
  let tokens = request.systemPrompt === null ? 0 : MESSAGE_OVERHEAD + estimateTokens(request.systemPrompt);
  for (const tool of request.tools) tokens += estimateToolTokens(tool);
  return tokens;
}

const estimateToolTokens = memoized(
  ({ name, description, inputSchema }: ToolDefinition): number =>
    TOOL_OVERHEAD + estimateTokens(name + description + JSON.stringify(inputSchema)),
);
