import type { ContentBlock } from '../blocks/index.ts';
import { isTextBlock } from '../blocks/index.ts';
import { claudeCall, claudeResult, isClaudeResult } from './anthropic.ts';
import {
  geminiCall,
  geminiCallId,
  geminiCode,
  geminiGrounding,
  geminiOutput,
  geminiPages,
  geminiPicture,
  geminiResponse,
} from './gemini.ts';
import { chatSearch, filesMade, responsesItem } from './openai.ts';
import type { Json } from './read.ts';
import { fieldsOf, stringAt, together, unique } from './read.ts';
import type { ProviderToolUse } from './types.ts';

/** A use, and before which of the blocks people read it. */
export interface PlacedUse {
  readonly at: number;
  readonly use: ProviderToolUse;
}

/** What the provider's own tools did, in order. Nothing is thrown, whatever the blocks hold. */
export function providerToolsOf(blocks: readonly ContentBlock[]): readonly ProviderToolUse[] {
  return placedUses(blocks).map(({ use }) => use);
}

/**
 * The same with their places. What accompanies a whole text (grounding, lists of sources) comes at its end or in its
 * middle, and stands before it: a search comes before the answer, and must not cut a sentence in two.
 */
export function placedUses(
  blocks: readonly ContentBlock[],
  /** Where the parts of a reply begin: a text never goes on from one part to the next. */
  begins: ReadonlySet<number> = new Set(),
): readonly PlacedUse[] {
  const reader = new UseReader(blocks, begins);
  for (const [at, block] of blocks.entries()) reader.read(at, fieldsOf(block));
  return reader.placed();
}

class UseReader {
  readonly #blocks: readonly ContentBlock[];
  readonly #begins: ReadonlySet<number>;
  readonly #uses: { at: number; use: ProviderToolUse }[] = [];
  /** Calls whose result has not come, by their id. */
  readonly #open = new Map<string, number>();
  #code: number | null = null;
  /** The calls whose findings accompany the text behind them: their responses do not name what was found. */
  readonly #told: number[] = [];
  /** Repeated with every piece of a text, each time with more. */
  readonly #grounding = new Map<string, number>();

  constructor(blocks: readonly ContentBlock[], begins: ReadonlySet<number>) {
    this.#blocks = blocks;
    this.#begins = begins;
  }

  placed(): readonly PlacedUse[] {
    // Stable: what was placed first stays first.
    return [...this.#uses].sort((one, other) => one.at - other.at);
  }

  read(at: number, block: Json): void {
    switch (block['type']) {
      case 'server_tool_use':
      case 'mcp_tool_use':
        return this.#call(at, stringAt(block, 'id'), claudeCall(block));
      case 'gemini:toolCall':
        this.#told.push(this.#uses.length);
        return this.#call(at, geminiCallId(block), geminiCall(block));
      case 'gemini:toolResponse':
        return this.#answer(at, geminiCallId(block), geminiResponse(block));
      case 'gemini:executableCode':
        this.#code = this.#add(at, geminiCode(block));
        return;
      case 'gemini:codeExecutionResult':
        return this.#output(at, geminiOutput(block));
      case 'gemini:inlineData':
        return this.#maybe(at, geminiPicture(block));
      case 'gemini:groundingMetadata':
        for (const use of geminiGrounding(block)) this.#accompany(at, use);
        return;
      case 'gemini:urlContextMetadata':
        return this.#accompany(at, geminiPages(block));
      case 'annotations':
        return this.#files(filesMade(block));
      case 'citations':
      case 'search_results':
        return this.#accompany(at, chatSearch(block));
      default:
        if (isClaudeResult(block)) return this.#answer(at, stringAt(block, 'tool_use_id'), claudeResult(block));
        return this.#maybe(at, responsesItem(block));
    }
  }

  #add(at: number, use: ProviderToolUse): number {
    return this.#uses.push({ at, use }) - 1;
  }

  #maybe(at: number, use: ProviderToolUse | null): void {
    if (use !== null) this.#add(at, use);
  }

  #join(place: number, use: ProviderToolUse): void {
    const before = this.#uses[place];
    if (before !== undefined) before.use = together(before.use, use);
  }

  #call(at: number, id: string | null, use: ProviderToolUse): void {
    const place = this.#add(at, use);
    if (id !== null) this.#open.set(id, place);
  }

  #answer(at: number, id: string | null, result: ProviderToolUse): void {
    const place = id === null ? undefined : this.#open.get(id);
    if (place === undefined) this.#add(at, result);
    else this.#join(place, result);
    if (id !== null) this.#open.delete(id);
  }

  #output(at: number, result: ProviderToolUse): void {
    if (this.#code === null) this.#add(at, result);
    else this.#join(this.#code, result);
    this.#code = null;
  }

  #files(names: readonly string[]): void {
    const code = this.#uses.findLast(({ use }) => use.kind === 'code_execution');
    if (names.length === 0 || code === undefined) return;
    code.use = { ...code.use, files: unique([...code.use.files, ...names]) };
  }

  #accompany(at: number, use: ProviderToolUse | null): void {
    if (use === null) return;
    const text = this.#beginningOfText(at);
    const key = `${text} ${use.kind}`;
    const known = this.#grounding.get(key) ?? this.#callFor(use, text);
    if (known === undefined) this.#grounding.set(key, this.#add(text, use));
    else this.#join(known, use);
  }

  /** The last call of this kind before a text, in the same part of the reply. */
  #callFor({ kind }: ProviderToolUse, text: number): number | undefined {
    const begin = Math.max(0, ...[...this.#begins].filter((each) => each <= text));
    return this.#told.findLast((place) => {
      const call = this.#uses[place];
      return call !== undefined && call.use.kind === kind && call.at >= begin && call.at < text;
    });
  }

  /** The first of the texts just before a block, with nothing but what accompanies them between; else the block. */
  #beginningOfText(at: number): number {
    let beginning = at;
    for (let index = at - 1; index >= 0 && !this.#begins.has(index + 1); index -= 1) {
      const block = this.#blocks[index];
      if (block === undefined || !(isTextBlock(block) || accompaniesText(block))) break;
      if (isTextBlock(block)) beginning = index;
    }
    return beginning;
  }
}

const ACCOMPANYING: ReadonlySet<string> = new Set([
  'citations',
  'annotations',
  'search_results',
  'thinking_signature',
  'gemini:groundingMetadata',
  'gemini:citationMetadata',
  'gemini:urlContextMetadata',
]);

/** Blocks that say something about a text without ending it: two texts with only such blocks between are one. */
export const accompaniesText = (block: ContentBlock): boolean => ACCOMPANYING.has(block.type);

const JOINED: ReadonlySet<string> = new Set(['web_search', 'web_fetch', 'file_search']);

/** Whether two uses in a row are one to people: ten searches for one answer are one search with ten queries. */
export function areOneUse(first: ProviderToolUse, second: ProviderToolUse): boolean {
  return JOINED.has(first.kind) && first.kind === second.kind && first.name === second.name;
}

/** Two such uses as one. It failed if all did: one page that cannot be read does not spoil the search. */
export function asOneUse(first: ProviderToolUse, second: ProviderToolUse): ProviderToolUse {
  const states = [first.state, second.state];
  const state = states.includes('running') ? 'running' : states.includes('done') ? 'done' : 'failed';
  return { ...together(first, second), state };
}
