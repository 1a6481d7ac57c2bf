import type { ContentBlock, Role } from '@bough/core';
import { isPlainObject, isTextBlock } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { listOf, MalformedError, objectIn, objectOf, textOrNull } from '../../fields.ts';
import { isForeignFile } from '../../files/foreign-file.ts';
import { citedText } from './citations.ts';
import { attachmentsIn, filesIn } from './files.ts';

/** What a person or a model said. */
export function blocksOf(fields: Fields, role: Role, notes: Notes): readonly ContentBlock[] {
  const content = objectOf(fields['content'], 'content');
  const type = textOrNull(content['content_type']) ?? 'text';
  switch (type) {
    case 'text':
    case 'multimodal_text': {
      const parts = partsOf(content, objectIn(fields, 'metadata'), notes);
      if (parts.length > 0) return parts;
      return role === 'user' && type === 'multimodal_text'
        ? [{ type: 'text', text: '(attachment, not imported)' }]
        : [];
    }
    case 'thoughts':
      return listOf(content['thoughts'] ?? [], 'thoughts').flatMap((thought): ContentBlock[] => {
        const { summary, content: words } = objectOf(thought, 'A thought');
        const thinking = [textOrNull(summary), textOrNull(words)]
          .filter((part) => part !== null && part !== '')
          .join('\n\n');
        return thinking === '' ? [] : [{ type: 'thinking', thinking }];
      });
    case 'reasoning_recap':
      return [{ type: 'chatgpt_reasoning_recap', content: textOrNull(content['content']) ?? '' }];
    case 'code':
      return [{ type: 'text', text: textOrNull(content['text']) ?? '' }];
    case 'model_editable_context':
      // What ChatGPT remembers; a conversation without memory has it empty.
      if ((textOrNull(content['model_set_context']) ?? '') === '') return [];
      break;
  }
  notes.leftOut.push(type);
  return role === 'assistant' ? [{ type: `chatgpt_${type}`, content }] : [];
}

/** What the person told ChatGPT about themselves and how to answer. */
export function instructionsIn(fields: Fields): string | null {
  const content = objectIn(fields, 'content');
  if (content['content_type'] !== 'user_editable_context') return null;
  const given = objectIn(objectIn(fields, 'metadata'), 'user_context_message_data');
  const known = [given['about_user_message'], given['about_model_message']].flatMap((each) => textOrNull(each) || []);
  const written = [content['user_profile'], content['user_instructions']].flatMap((each) => textOrNull(each) || []);
  return (known.length > 0 ? known : written).join('\n\n');
}

/** The texts as one, where the first of them stands, and files in their order; attachments that no part shows last. */
export function partsOf(content: Fields, metadata: Fields, notes: Notes): readonly ContentBlock[] {
  const attachments = attachmentsIn(metadata);
  const blocks: ContentBlock[] = [];
  const texts: string[] = [];
  let place = 0;
  for (const part of listOf(content['parts'] ?? [], 'parts')) {
    const text = isPlainObject(part) ? textOrNull(part['text']) : textOrNull(part);
    if (text !== null) {
      if (texts.join('') === '') place = blocks.length;
      texts.push(text);
    } else if (isPlainObject(part)) {
      const files = filesIn(part, attachments);
      blocks.push(...files);
      if (files.length === 0) notes.leftOut.push(textOrNull(part['content_type']) ?? 'attachment');
    } else if (part !== null) throw new MalformedError('A part must be a text or an object.');
  }
  blocks.splice(place, 0, ...citedText(texts.join('\n'), metadata, notes));
  const shown = new Set(blocks.filter(isForeignFile).flatMap(({ ids }) => ids));
  return [...blocks, ...[...attachments.values()].filter(({ ids }) => !ids.some((id) => shown.has(id)))];
}

export function textIn(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (isTextBlock(block) ? [block.text] : [])).join('\n');
}
