import type { ContentBlock, Role, TextBlock } from '@bough/core';
import { isTextBlock, sha256 } from '@bough/core';
import type { ClientFile, ClientPart } from '../dialect.ts';
import { givenLikeness, replyLikeness } from './likeness.ts';

interface Answer {
  readonly toolCallId: string;
  readonly isError?: boolean;
}

/**
 * Collects what becomes one node. Only a reply may hold blocks that Bough does not know: whatever else a client puts
 * into another message is named in words, and told apart by its likeness.
 */
export class PartDraft {
  readonly #role: Role;
  readonly #blocks: ContentBlock[] = [];
  readonly #files: ClientFile[] = [];
  /** What counts for the likeness besides texts. */
  readonly #others: unknown[] = [];
  /** Which of the blocks are not the client's words. */
  readonly #standIns = new Set<number>();

  constructor(role: Role) {
    this.#role = role;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#files.length === 0;
  }

  text(text: string): this {
    if (text !== '') this.#blocks.push({ type: 'text', text });
    return this;
  }

  /** A block of a reply. */
  block(block: ContentBlock): this {
    this.#blocks.push(block);
    return this;
  }

  /** Something that no block of this role stands for. */
  other(type: string, value: Readonly<Record<string, unknown>>, words = type): this {
    if (this.#role === 'assistant') return this.block({ ...value, type });
    this.#others.push(value);
    this.#standIns.add(this.#blocks.length);
    return this.text(`[${words}]`);
  }

  /** A file whose bytes are in the body as base64. */
  file(mediaType: string, name: string | null, data: string): this {
    return this.#add(mediaType, name, data, () => Buffer.from(data, 'base64'));
  }

  textFile(mediaType: string, name: string | null, text: string): this {
    return this.#add(mediaType, name, text, () => Buffer.from(text, 'utf8'));
  }

  #add(mediaType: string, name: string | null, data: string, bytes: () => Uint8Array): this {
    const hash = sha256(data);
    // Instructions are words; no node of them holds a file.
    if (this.#role === 'system') return this.other('file', { hash }, name ?? mediaType);
    this.#files.push({ mediaType, name, bytes, at: this.#blocks.length });
    this.#others.push(hash);
    return this;
  }

  build(answer?: Answer): ClientPart {
    const role = this.#role;
    const texts = this.#blocks.filter((block, at) => isTextBlock(block) && !this.#standIns.has(at)) as TextBlock[];
    const likeness =
      role === 'assistant'
        ? replyLikeness(this.#blocks)
        : givenLikeness(
            texts.map(({ text }) => text),
            this.#others,
          );
    // A node holds at least one block.
    const blocks = this.isEmpty ? [{ type: 'text', text: '' }] : this.#blocks;
    const files = this.#files;
    if (answer === undefined) return { role, blocks, files, likeness };
    const { toolCallId, isError = false } = answer;
    return isError
      ? { role, blocks, files, likeness, toolCallId, isError }
      : { role, blocks, files, likeness, toolCallId };
  }
}

/** `data:image/png;base64,…`; null for any other address. */
export function dataUrl(url: string): { readonly mediaType: string; readonly data: string } | null {
  if (!url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  const [mediaType = '', ...flags] = url.slice('data:'.length, comma).split(';');
  if (comma < 0 || !flags.includes('base64')) return null;
  return { mediaType: mediaType === '' ? 'application/octet-stream' : mediaType, data: url.slice(comma + 1) };
}
