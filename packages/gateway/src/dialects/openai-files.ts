import { dataUrl } from './part.ts';
import type { PartDraft } from './part.ts';
import type { Json } from './json.ts';
import { objectOf, stringOf, wordOf } from './json.ts';

/** Where a part of one of OpenAI's protocols holds what it brings. */
interface Places {
  readonly image: unknown;
  readonly file: Json | undefined;
}

/** Whether the part brings a file whose bytes are in the body itself; then it is kept. */
export function keepsFile(draft: PartDraft, part: Json, { image: address, file }: Places): boolean {
  const image = dataUrl(stringOf(address) ?? '');
  if (image !== null) {
    draft.file(image.mediaType, null, image.data);
    return true;
  }
  const audio = objectOf(part['input_audio']);
  const sound = stringOf(audio?.['data']);
  if (sound !== undefined) {
    draft.file(`audio/${stringOf(audio?.['format']) ?? 'wav'}`, null, sound);
    return true;
  }
  const data = stringOf(file?.['file_data']);
  if (data === undefined) return false;
  const { mediaType, data: bytes } = dataUrl(data) ?? { mediaType: 'application/pdf', data };
  draft.file(mediaType, wordOf(file?.['filename']) ?? null, bytes);
  return true;
}
