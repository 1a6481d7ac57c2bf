import type { AttachedBlock, Citation, ContentBlock, ProviderToolUse, Role, Segment, StoredFile } from '@bough/core';
import { broughtText, isAttachedBlock, isCanvasBlock, mergeIn } from '@bough/core';

/** `included` as it is, `folded` so that a reader can open it, or `none`. */
export type Reasoning = 'included' | 'folded' | 'none';
export const REASONINGS: readonly Reasoning[] = ['included', 'folded', 'none'];

/** What a document needs of a group; both stored and served ones have it. */
export interface DocumentGroup {
  readonly user: { readonly content: string; readonly contentBlocks?: readonly ContentBlock[] } | null;
  readonly reply: readonly {
    readonly role: Role;
    readonly content: string;
    readonly modelUsed: string | null;
    readonly contentBlocks?: readonly ContentBlock[];
  }[];
  readonly segments: readonly {
    readonly kind: Segment['kind'];
    readonly items: readonly DocumentItem[];
  }[];
}

export type DocumentItem =
  | { readonly type: 'think'; readonly text: string; readonly redacted: boolean }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly parameters: Readonly<Record<string, unknown>>;
      readonly result: { readonly content: string; readonly isError: boolean } | null;
    }
  | { readonly type: 'provider'; readonly use: ProviderToolUse }
  | { readonly type: 'file'; readonly file: ContentBlock }
  | {
      readonly type: 'text';
      readonly text: string;
      readonly isError: boolean;
      readonly citations?: readonly Citation[] | undefined;
    };

export interface DocumentInput {
  readonly title: string;
  readonly groups: readonly DocumentGroup[];
  readonly reasoning: Reasoning;
  /** Where a reader of the document finds a file: beside it, or in the address itself. Without one it is named. */
  readonly addressOf?: (file: StoredFile) => string | undefined;
}

/** The files of a message, those of the reply, which stand in their places there, and those that its tools brought. */
export function filesOf(group: DocumentGroup): Record<'user' | 'reply' | 'tools', readonly AttachedBlock[]> {
  const of = (isTool: boolean): readonly AttachedBlock[] =>
    group.reply
      .filter(({ role }) => (role === 'tool') === isTool)
      .flatMap(({ contentBlocks = [] }) => contentBlocks.filter(isAttachedBlock));
  return {
    user: (group.user?.contentBlocks ?? []).filter(isAttachedBlock),
    reply: of(false),
    tools: of(true),
  };
}

/** The file of an item; null where it is left out: what was drawn in thought goes with the reasoning. */
export function fileIn({ file }: Extract<DocumentItem, { type: 'file' }>, reasoning: Reasoning): AttachedBlock | null {
  return isAttachedBlock(file) && (file.inThought !== true || reasoning !== 'none') ? file : null;
}

export function factsOf(block: AttachedBlock): string {
  const { mediaType, size } = block.file;
  return [mediaType, measureOf(block), sizeOf(size)].filter((fact) => fact !== null).join(', ');
}

function measureOf(block: AttachedBlock): string | null {
  switch (block.type) {
    case 'image':
      return `${block.width} × ${block.height}`;
    case 'document':
      return block.pages === undefined ? null : `${block.pages} ${block.pages === 1 ? 'page' : 'pages'}`;
    case 'audio':
      return block.seconds === undefined ? null : `${Math.round(block.seconds)} s`;
    case 'file':
      return null;
  }
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Under which heading a message of the user stands. What was brought from another branch was not written by them; of a
 * version of the canvas, what models are told of it is no text for people, and one that they are not told of has none.
 */
export function writtenBy(user: NonNullable<DocumentGroup['user']>): {
  readonly heading: string;
  readonly text: string;
} {
  const blocks = user.contentBlocks ?? [];
  const version = blocks.findLast(isCanvasBlock);
  if (version !== undefined) return { heading: 'The canvas was changed', text: version.text };
  const merge = mergeIn(blocks);
  if (merge === null) return { heading: 'You', text: user.content };
  return { heading: `Brought from the branch “${merge.branchName}”`, text: broughtText(merge, user.content) };
}

export function authorOf({ reply }: DocumentGroup): string {
  return reply.find(({ modelUsed }) => modelUsed !== null)?.modelUsed ?? 'Assistant';
}

/** Instructions that were given before the reply, and those that were given after it. */
export function instructionsIn({ reply }: Pick<DocumentGroup, 'reply'>): {
  readonly before: readonly string[];
  readonly after: readonly string[];
} {
  const answered = reply.findIndex(({ role }) => role === 'assistant');
  const texts = (from: number, to?: number): readonly string[] =>
    reply.slice(from, to).flatMap(({ role, content }) => (role === 'system' && content !== '' ? [content] : []));
  return answered < 0 ? { before: texts(0), after: [] } : { before: texts(0, answered), after: texts(answered) };
}

export function thoughtText({ text, redacted }: { readonly text: string; readonly redacted: boolean }): string {
  if (redacted) return '(encrypted by the provider)';
  return text === '' ? '(hidden by the provider)' : text;
}
