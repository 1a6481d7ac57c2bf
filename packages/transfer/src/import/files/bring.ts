import type { AttachedBlock, ContentBlock, NodeId } from '@bough/core';
import { idFrom, isTextBlock, projectId, UnknownIdError } from '@bough/core';
import type { BlobStore, Store } from '@bough/store';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipError } from '../../zip/read.ts';
import type { ForeignConversation, ForeignMessage } from '../conversation.ts';
import { nodeIdOf } from '../records.ts';
import type { ForeignFile } from './foreign-file.ts';
import { isForeignFile } from './foreign-file.ts';
import type { HeldFiles } from './held-files.ts';

/** Fits files and keeps them; whoever calls an import has it, because it needs decoders of pictures and PDFs. */
export interface FileKeeper {
  /** The size of the largest file that is taken. */
  readonly limit: number;
  /** The block of a file, or the sentence that says why there is none. `directory` is removed afterwards. */
  readonly keep: (
    file: {
      readonly name: string;
      readonly declaredType: string | undefined;
      readonly path: string;
      readonly directory: string;
    },
    blobs: Pick<BlobStore, 'put'>,
  ) => Promise<{ readonly block: AttachedBlock } | { readonly refused: string }>;
}

/** A file that a message refers to and that did not come along. */
export interface MissingFile {
  /** The conversation. */
  readonly where: string;
  readonly name: string | null;
  readonly reason: string;
}

export interface Bringing {
  readonly held: HeldFiles | null;
  readonly keeper: FileKeeper | null;
  /** Null for a rehearsal, which fits nothing. */
  readonly store: Pick<Store, 'blobs' | 'graph'> | null;
  readonly temporaryDir: string | undefined;
  /** What all files may have together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface Brought {
  readonly conversation: ForeignConversation;
  readonly files: number;
  readonly missing: readonly MissingFile[];
}

/** Replaces the files in conversations with what the export holds of them. */
export function createBringer(bringing: Bringing): (conversation: ForeignConversation) => Promise<Brought> {
  const { held, keeper, store, signal } = bringing;
  let left = bringing.maxBytes;

  const bring = async (file: ForeignFile): Promise<AttachedBlock | 'there' | { readonly reason: string }> => {
    const found = held?.find(file);
    const inside = insideOf(file);
    if (found === undefined && inside === null) return { reason: 'It is not in the export.' };
    const size = found?.size ?? inside?.length ?? 0;
    if (keeper === null) return { reason: 'Files are not taken here.' };
    if (size > keeper.limit) return { reason: `It has ${size} bytes, and ${keeper.limit} are allowed.` };
    if (size > left) return { reason: 'The files before it had as many bytes as one import may unpack.' };
    left -= size;
    if (store === null) return 'there';
    const directory = await mkdtemp(join(bringing.temporaryDir ?? tmpdir(), 'bough-file-'));
    try {
      const path = join(directory, 'given');
      if (found === undefined) await writeFile(path, inside ?? '', { flag: 'wx', mode: 0o600 });
      else await found.copyTo(path);
      const given =
        found === undefined || held === null
          ? givenInside(file)
          : { name: held.nameOf(file, found), declaredType: file.mediaType ?? undefined };
      const kept = await keeper.keep({ ...given, path, directory }, store.blobs);
      return 'block' in kept ? kept.block : { reason: kept.refused };
    } catch (error) {
      // One picture that was damaged on the way is no reason to refuse the conversations.
      if (error instanceof ZipError) return { reason: error.message };
      throw error;
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };

  return async (conversation) => {
    if (!conversation.messages.some(({ blocks }) => blocks.some(isForeignFile)))
      return { conversation, files: 0, missing: [] };
    const known = store === null ? new Set<NodeId>() : await nodesOf(store, conversation);
    const missing: MissingFile[] = [];
    const leftOut = [...conversation.leftOut];
    const messages: ForeignMessage[] = [];
    // Replies that were nothing but a missing picture do not become nodes; what follows them moves up.
    const above = new Map<string, string | null>();
    const nearest = (key: string | null): string | null =>
      key !== null && above.has(key) ? (above.get(key) ?? null) : key;
    let files = 0;
    for (const message of conversation.messages) {
      // A message that is stored stays as it is, and fitting its files again would be for nothing.
      const isStored = known.has(nodeIdOf(conversation, message));
      const blocks: ContentBlock[] = [];
      const absent: string[] = [];
      for (const block of message.blocks) {
        signal?.throwIfAborted();
        if (!isForeignFile(block)) {
          blocks.push(block);
          continue;
        }
        if (isStored) continue;
        const brought = await bring(block);
        if (brought === 'there') files += 1;
        else if ('reason' in brought) {
          leftOut.push(block.kind);
          missing.push({ where: conversation.title, name: block.name, reason: brought.reason });
          absent.push(lineOf(block));
        } else {
          files += 1;
          blocks.push(brought);
        }
      }
      const parentKey = nearest(message.parentKey);
      if (message.role !== 'user' && blocks.length === 0 && absent.length === message.blocks.length) {
        above.set(message.key, parentKey);
        continue;
      }
      // Last, because a branch is named after the first text. No words are put into a model's mouth.
      messages.push({ ...message, parentKey, blocks: message.role === 'user' ? withLines(blocks, absent) : blocks });
    }
    const { tipKey = null } = conversation;
    return { conversation: { ...conversation, messages, leftOut, tipKey: nearest(tipKey) }, files, missing };
  };
}

function withLines(blocks: readonly ContentBlock[], lines: readonly string[]): readonly ContentBlock[] {
  if (lines.length === 0) return blocks;
  const place = blocks.findIndex(isTextBlock);
  const said = blocks[place];
  if (said === undefined || !isTextBlock(said)) return [...blocks, { type: 'text', text: lines.join('\n') }];
  return blocks.with(place, { type: 'text', text: `${said.text}\n\n${lines.join('\n')}` });
}

function lineOf({ name }: ForeignFile): string {
  return name === null || name === '' ? '(attachment, not imported)' : `(attachment "${name}", not imported)`;
}

/** What the message itself holds of a file. */
function insideOf({ text, base64 }: ForeignFile): Buffer | null {
  if (base64 !== null) return Buffer.from(base64, 'base64');
  return text === null ? null : Buffer.from(text);
}

function givenInside({ name, mediaType, base64 }: ForeignFile): { name: string; declaredType: string | undefined } {
  if (base64 === null) return { name: textName(name), declaredType: undefined };
  const type = mediaType?.split('/')[1]?.replace(/[^a-z0-9]/gi, '') ?? '';
  return { name: name || (type === '' ? 'file' : `file.${type}`), declaredType: mediaType ?? undefined };
}

/** The text that was taken out of `paper.pdf` is not a PDF. */
function textName(name: string | null): string {
  if (name === null || name === '') return 'attachment.txt';
  return /\.(?:pdf|jpe?g|png|gif|webp|bmp|tiff?|avif|heic|heif|docx?|xlsx?|pptx?)$/i.test(name) ? `${name}.txt` : name;
}

async function nodesOf(
  store: Pick<Store, 'graph'>,
  { format, key }: ForeignConversation,
): Promise<ReadonlySet<NodeId>> {
  try {
    const { nodes } = await store.graph(projectId(idFrom(format, key)));
    return new Set(nodes.map(({ id }) => id));
  } catch (error) {
    if (error instanceof UnknownIdError) return new Set();
    throw error;
  }
}
