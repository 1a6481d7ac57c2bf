import type { AttachedBlock, StoredFile, StoredText } from '@bough/core';
import type { Fitted, FittedFile, FittedText } from '@bough/files';
import type { BlobStore } from '@bough/store';
import { createReadStream } from 'node:fs';
import { recordOf } from './record.ts';

/** Puts what a file was fitted to into the store, and with it the record that lets a message refer to it. */
export async function keep(blobs: Puts, fitted: Fitted): Promise<AttachedBlock> {
  const block = await keepFiles(blobs, fitted);
  const record = recordOf(block);
  await blobs.put(once(record), { limit: record.length });
  return block;
}

type Puts = Pick<BlobStore, 'put'>;

/** Without a record: for a message that the server itself writes. */
export async function keepFiles(blobs: Puts, fitted: Fitted): Promise<AttachedBlock> {
  const kept = new Map<string, StoredFile>();
  const put = async ({ path, mediaType, size }: FittedFile): Promise<StoredFile> => {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const { hash } = await blobs.put(createReadStream(path), { limit: size });
    const file = { hash, mediaType, size };
    kept.set(path, file);
    return file;
  };
  const putText = async (text: FittedText | undefined): Promise<{ readonly text?: StoredText }> =>
    text === undefined ? {} : { text: { ...(await put(text)), characters: text.characters } };

  const common = {
    name: fitted.name,
    file: await put(fitted.file),
    ...(fitted.original === undefined ? {} : { original: await put(fitted.original) }),
  };
  return blockOf(fitted, common, putText);
}

type Common = Pick<AttachedBlock, 'name' | 'file' | 'original'>;

async function blockOf(
  fitted: Fitted,
  common: Common,
  putText: (text: FittedText | undefined) => Promise<{ readonly text?: StoredText }>,
): Promise<AttachedBlock> {
  switch (fitted.type) {
    case 'image':
      return { type: 'image', ...common, width: fitted.width, height: fitted.height };
    case 'document':
      return { type: 'document', ...common, pages: fitted.pages, ...(await putText(fitted.text)) };
    case 'audio':
      return { type: 'audio', ...common, ...(fitted.seconds === undefined ? {} : { seconds: fitted.seconds }) };
    case 'file':
      return { type: 'file', ...common, ...(await putText(fitted.text)) };
  }
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
