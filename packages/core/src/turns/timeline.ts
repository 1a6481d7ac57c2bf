import type { AttachedBlock, ContentBlock } from '../blocks/index.ts';
import {
  isAttachedBlock,
  isRedactedThinkingBlock,
  isTextBlock,
  isThinkingBlock,
  isToolUseBlock,
} from '../blocks/index.ts';
import type { NodeId, TreeNode } from '../entities/index.ts';
import type { Citation, ProviderToolUse } from '../provider-tools/index.ts';
import { accompaniesText, areOneUse, asOneUse, citationsOf, placedUses } from '../provider-tools/index.ts';

/** What a reply does, in order. Blocks that people do not see (signatures, custom types) have no place here. */
export type TimelineItem = ThinkItem | ToolItem | ProviderItem | FileItem | TextItem;

export interface ThinkItem {
  readonly type: 'think';
  readonly nodeId: NodeId | null;
  /** Empty if the provider hides it. */
  readonly text: string;
  readonly redacted: boolean;
}

export interface ToolItem {
  readonly type: 'tool';
  readonly nodeId: NodeId | null;
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Null while there is none. */
  readonly result: ToolResult | null;
}

export interface ToolResult {
  readonly nodeId: NodeId | null;
  readonly content: string;
  readonly isError: boolean;
}

/** A tool that the provider ran itself. */
export interface ProviderItem {
  readonly type: 'provider';
  readonly nodeId: NodeId | null;
  readonly use: ProviderToolUse;
}

/** A picture or another file that is part of the reply. */
export interface FileItem {
  readonly type: 'file';
  readonly nodeId: NodeId | null;
  readonly file: AttachedBlock;
}

export interface TextItem {
  readonly type: 'text';
  readonly nodeId: NodeId | null;
  readonly text: string;
  readonly isError: boolean;
  /** Only where there are any. */
  readonly citations?: readonly Citation[];
}

/** One node of a reply, stored or still arriving. */
export interface ReplyPart {
  readonly nodeId: NodeId | null;
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
  /** Only a signature or a count of its reasoning arrived: people should see that it was there. */
  readonly hasThought: boolean;
}

/** The timeline of a reply: its assistant nodes in order, each tool call with the result that answers it. */
export function timelineOf(reply: readonly TreeNode[]): readonly TimelineItem[] {
  const results = new Map<string, ToolResult>();
  for (const node of reply) {
    if (node.role !== 'tool' || node.toolCallId === null) continue;
    results.set(node.toolCallId, { nodeId: node.id, content: node.content, isError: node.isError });
  }
  const parts = reply
    .filter((node) => node.role === 'assistant')
    .map(({ id, contentBlocks, isError, thinking }) => ({
      nodeId: id,
      blocks: contentBlocks,
      isError,
      hasThought: thinking !== null,
    }));
  return timelineOfParts(parts, results);
}

/**
 * The same for a reply of which some is still to come. The parts are read together: code that calls the client's tools
 * ends in a later part than it began.
 */
export function timelineOfParts(
  parts: readonly ReplyPart[],
  results: ReadonlyMap<string, ToolResult>,
): readonly TimelineItem[] {
  const uses = new Map<number, ProviderToolUse[]>();
  const begins = new Set<number>();
  let length = 0;
  for (const { blocks } of parts) {
    begins.add(length);
    length += blocks.length;
  }
  const all = parts.flatMap(({ blocks }) => blocks);
  for (const { at, use } of placedUses(all, begins)) {
    uses.set(at, [...(uses.get(at) ?? []), use]);
  }
  let at = 0;
  return parts.flatMap((part) => {
    const items = new PartReader(part, results);
    for (const block of part.blocks) {
      for (const use of uses.get(at) ?? []) items.use(use);
      items.block(block);
      at += 1;
    }
    return items.end();
  });
}

class PartReader {
  readonly #part: ReplyPart;
  readonly #results: ReadonlyMap<string, ToolResult>;
  readonly #items: TimelineItem[] = [];
  /** The texts, and what accompanies them, that are one text to people. */
  #run: ContentBlock[] = [];

  constructor(part: ReplyPart, results: ReadonlyMap<string, ToolResult>) {
    this.#part = part;
    this.#results = results;
  }

  use(use: ProviderToolUse): void {
    this.#closeText();
    const last = this.#items.at(-1);
    if (last?.type !== 'provider' || !areOneUse(last.use, use)) {
      this.#items.push({ type: 'provider', nodeId: this.#part.nodeId, use });
    } else this.#items[this.#items.length - 1] = { ...last, use: asOneUse(last.use, use) };
  }

  block(block: ContentBlock): void {
    if (isTextBlock(block) || accompaniesText(block)) {
      this.#run.push(block);
      return;
    }
    this.#closeText();
    const { nodeId } = this.#part;
    if (isThinkingBlock(block)) {
      this.#items.push({ type: 'think', nodeId, text: block.thinking, redacted: false });
    } else if (isRedactedThinkingBlock(block)) {
      this.#items.push({ type: 'think', nodeId, text: '', redacted: true });
    } else if (isToolUseBlock(block)) {
      const { id, name, parameters } = block;
      this.#items.push({ type: 'tool', nodeId, id, name, parameters, result: this.#results.get(id) ?? null });
    } else if (isAttachedBlock(block)) {
      this.#items.push({ type: 'file', nodeId, file: block });
    }
  }

  end(): readonly TimelineItem[] {
    this.#closeText();
    const { hasThought, nodeId } = this.#part;
    const isHidden = hasThought && this.#items.every(({ type }) => type !== 'think');
    return isHidden ? [{ type: 'think', nodeId, text: '', redacted: false }, ...this.#items] : this.#items;
  }

  #closeText(): void {
    const run = this.#run;
    this.#run = [];
    const text = run.map((block) => (isTextBlock(block) ? block.text : '')).join('');
    if (text === '') return;
    const { nodeId, isError } = this.#part;
    const citations = citationsOf(run);
    const item = { type: 'text', nodeId, text, isError } as const;
    this.#items.push(citations.length === 0 ? item : { ...item, citations });
  }
}
