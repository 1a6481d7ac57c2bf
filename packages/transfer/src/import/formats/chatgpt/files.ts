import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { objectIn, textOrNull } from '../../fields.ts';
import type { ForeignFile } from '../../files/foreign-file.ts';
import { foreignFile } from '../../files/foreign-file.ts';

/** A part points to one file, or, in a spoken conversation, to several. */
export function filesIn(
  part: Fields,
  attachments: ReadonlyMap<string, ForeignFile> = new Map(),
): readonly ForeignFile[] {
  const kind = textOrNull(part['content_type']) ?? 'attachment';
  const pointers = [part, part['audio_asset_pointer'], part['video_container_asset_pointer']].flatMap((value) => {
    const pointer = isPlainObject(value) ? textOrNull(value['asset_pointer']) : textOrNull(value);
    return pointer === null ? [] : [pointer];
  });
  return pointers.map((pointer) => fileOf(kind, pointer, attachments));
}

function fileOf(kind: string, pointer: string, attachments: ReadonlyMap<string, ForeignFile>): ForeignFile {
  // `file-service://file-…`, `sediment://file_…`, and `sediment://…#file_…#p_0.jpg` for a page of a document.
  const id = /(?<=^|[/#])file[-_][A-Za-z0-9]+(?![A-Za-z0-9:-])/.exec(pointer)?.[0] ?? pointer;
  const { name = null, mediaType = null } = attachments.get(id) ?? {};
  return foreignFile(kind, { ids: [id], name, mediaType });
}

/** What a message says about its files, by their ids. */
export function attachmentsIn(metadata: Fields): ReadonlyMap<string, ForeignFile> {
  const list = Array.isArray(metadata['attachments']) ? metadata['attachments'] : [];
  return new Map(
    list.filter(isPlainObject).map((each) => {
      const name = textOrNull(each['name']);
      const id = textOrNull(each['id']) ?? name ?? '';
      const mediaType = textOrNull(each['mime_type']) ?? textOrNull(each['mimeType']);
      return [id, foreignFile('attachment', { ids: [id], name, mediaType })];
    }),
  );
}

/** Pictures that code drew, and what a computer showed. */
export function picturesMade(content: Fields, metadata: Fields): readonly ForeignFile[] {
  const drawn = objectIn(metadata, 'aggregate_result')['messages'];
  const urls = (Array.isArray(drawn) ? drawn : []).flatMap((each: unknown) =>
    isPlainObject(each) && each['message_type'] === 'image' ? (textOrNull(each['image_url']) ?? []) : [],
  );
  const screenshot = content['screenshot'];
  return [
    ...urls.map((url) => fileOf('image', url, new Map())),
    ...(isPlainObject(screenshot) ? filesIn({ content_type: 'image_asset_pointer', ...screenshot }) : []),
  ];
}
