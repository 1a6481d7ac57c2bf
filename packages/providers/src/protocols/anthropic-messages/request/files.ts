import type { AttachedBlock } from '@bough/core';
import { fileAsLine } from '@bough/core';
import { PlacedText, placeOf } from '../../../files/place.ts';
import { fileText } from '../../../files/text-part.ts';
import { wellFormedJson } from '../../../render/well-formed.ts';

const MAX_TITLE = 200;

/** A file as a content block, in one fixed order of keys. The API has no form for sound. */
export function fileFragment(block: AttachedBlock): string {
  return wellFormedJson(contentBlock(block)).json;
}

function contentBlock(block: AttachedBlock): unknown {
  const source = {
    type: 'base64',
    media_type: block.file.mediaType,
    data: new PlacedText([placeOf(block, 'base64')]),
  };
  switch (block.type) {
    case 'image':
      return { type: 'image', source };
    case 'document': {
      const title = block.name.slice(0, MAX_TITLE).trim();
      return { type: 'document', source, ...(title !== '' && { title }) };
    }
    case 'audio':
      return { type: 'text', text: fileAsLine(block) };
    case 'file':
      return { type: 'text', text: fileText(block) };
  }
}
