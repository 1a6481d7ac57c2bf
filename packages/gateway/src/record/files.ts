import type { AttachedBlock, ContentBlock } from '@bough/core';
import { sniff } from '@bough/providers';
import type { BlobStore } from '@bough/store';
import type { ClientFile, ClientPart } from '../dialect.ts';

/** More than any provider takes in a request. */
const LARGEST = 64 * 1024 * 1024;

/** The blocks of a part with its files in their places: their bytes are kept once, apart from the message. */
export async function storedBlocks(
  blobs: Pick<BlobStore, 'put'>,
  { blocks, files }: Pick<ClientPart, 'blocks' | 'files'>,
): Promise<readonly ContentBlock[]> {
  const kept: ContentBlock[] = [...blocks];
  // From the last to the first: each insertion moves only what was inserted before.
  for (const file of [...files].toReversed()) kept.splice(file.at, 0, await attach(blobs, file));
  return kept.length === 0 ? [{ type: 'text', text: '' }] : kept;
}

async function attach(blobs: Pick<BlobStore, 'put'>, { mediaType, name, bytes }: ClientFile): Promise<AttachedBlock> {
  const content = bytes();
  const { hash, size } = await blobs.put(inOnePiece(content), { limit: LARGEST });
  const found = sniff(content);
  const kind = found.mediaType ?? mediaType;
  const attached = { name: name ?? nameOf(kind), file: { hash, mediaType: kind, size } };
  if (kind.startsWith('image/') && found.width > 0)
    return { type: 'image', ...attached, width: found.width, height: found.height };
  if (kind === 'application/pdf') return { type: 'document', ...attached };
  if (kind.startsWith('audio/')) return { type: 'audio', ...attached };
  return { type: 'file', ...attached };
}

// eslint-disable-next-line @typescript-eslint/require-await -- what is put is read as a stream.
async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield content;
}

/** What a client does not name is called after what it is. */
function nameOf(mediaType: string): string {
  const [kind = '', form = ''] = mediaType.split('/', 2);
  const ending = /^[a-z0-9]{1,8}$/.test(form) ? `.${form}` : '';
  return `${kind === 'image' ? 'picture' : kind === 'audio' ? 'sound' : 'file'}${ending}`;
}
