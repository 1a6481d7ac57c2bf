import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { ForeignError } from '../../error-reply.ts';
import { errorText } from '../../error-reply.ts';
import type { Fields } from '../../fields.ts';
import { idOrNull, objectIn, parametersOf, textForm, textOrNull, wordsIn } from '../../fields.ts';
import type { ForeignFile } from '../../files/foreign-file.ts';
import { fileAt, foreignFile } from '../../files/foreign-file.ts';
import { toolResult } from '../anthropic-blocks.ts';

export interface CherryContent {
  readonly blocks: readonly ContentBlock[];
  readonly error: ForeignError | null;
}

const WORDS: ReadonlySet<string> = new Set(['main_text', 'code', 'thinking']);

/** The blocks of a message, which Cherry Studio keeps in a table of their own. */
export function contentOfBlocks(found: readonly Fields[], notes: Notes): CherryContent {
  let error: ForeignError | null = null;
  const blocks = found.flatMap((block): readonly ContentBlock[] => {
    const type = textOrNull(block['type']) ?? 'block';
    const content = WORDS.has(type) ? wordsIn(block, 'content') : '';
    switch (type) {
      case 'main_text':
        return content === '' ? [] : [{ type: 'text', text: content }];
      case 'code':
        return [{ type: 'text', text: `\`\`\`${textOrNull(block['language']) ?? ''}\n${content}\n\`\`\`` }];
      case 'thinking':
        return content === '' ? [] : [{ type: 'thinking', thinking: content }];
      case 'tool':
        return toolOf(block);
      case 'image':
        return picturesOf(block);
      case 'file':
        return [storedFile(objectIn(block, 'file'))];
      case 'citation':
        return [{ type: 'search_results', search_results: resultsOf(block), citation: block }];
      case 'error':
        error = { message: errorText(block['error']) ?? 'Unknown error' };
        return [];
      // Stands for a reply that has not begun.
      case 'unknown':
        return [];
      default:
        notes.leftOut.push(type);
        return [{ ...block, type: `cherry_studio_${type}` }];
    }
  });
  return { blocks, error };
}

/** A message of the versions before there were blocks. */
export function contentOfLegacy(message: Fields): CherryContent {
  const thinking = wordsIn(message, 'reasoning_content');
  const text = wordsIn(message, 'content');
  const files = Array.isArray(message['files']) ? message['files'].filter(isPlainObject) : [];
  const images = Array.isArray(message['images']) ? message['images'] : [];
  const failed = message['error'];
  return {
    blocks: [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...files.map(storedFile),
      ...images.flatMap((image) => (typeof image === 'string' ? [fileAt('image', image)] : [])),
    ],
    error: failed === undefined || failed === null ? null : { message: errorText(failed) },
  };
}

function toolOf(block: Fields): readonly ContentBlock[] {
  const raw = objectIn(objectIn(block, 'metadata'), 'rawMcpToolResponse');
  const tool = objectIn(raw, 'tool');
  const id = idOrNull(raw['toolCallId']) ?? idOrNull(raw['id']) ?? idOrNull(block['toolId']) ?? textForm(block['id']);
  const name = idOrNull(block['toolName']) ?? idOrNull(tool['name']) ?? idOrNull(block['toolId']) ?? 'tool';
  const use: ContentBlock = {
    type: 'tool-use',
    id,
    name,
    parameters: parametersOf(block['arguments'] ?? raw['arguments']),
  };
  const response = block['content'] ?? raw['response'];
  if (response === undefined || response === null) return [use];
  const isError = raw['status'] === 'error' || (isPlainObject(response) && response['isError'] === true);
  return [use, toolResult(id, resultText(response), isError)];
}

/** What a server of the Model Context Protocol answers, or what a tool of the program's own gave. */
function resultText(response: unknown): string {
  const parts = isPlainObject(response) ? response['content'] : response;
  if (!Array.isArray(parts)) return textForm(parts ?? response);
  const texts = parts.map((part: unknown) => (isPlainObject(part) ? textOrNull(part['text']) : textOrNull(part)));
  return texts.every((text) => text !== null) ? texts.join('\n') : textForm(response);
}

function picturesOf(block: Fields): readonly ForeignFile[] {
  const url = textOrNull(block['url']);
  if (url !== null && url !== '') return [fileAt('image', url)];
  if (isPlainObject(block['file'])) return [storedFile(block['file'])];
  const images = objectIn(objectIn(block, 'metadata'), 'generateImageResponse')['images'];
  return (Array.isArray(images) ? images : []).map((image: unknown) => {
    const text = textForm(image);
    return /^(?:data|https?|file):/.test(text)
      ? fileAt('image', text)
      : foreignFile('image', { mediaType: 'image/png', base64: text });
  });
}

/** A backup keeps files as `Data/Files/<id><extension>`. */
function storedFile(file: Fields): ForeignFile {
  const id = idOrNull(file['id']);
  const ids = [id === null ? null : `${id}${textOrNull(file['ext']) ?? ''}`, file['name']];
  return foreignFile(textOrNull(file['type']) ?? 'file', {
    ids: ids.flatMap((each) => idOrNull(each) ?? []),
    name: textOrNull(file['origin_name']) ?? textOrNull(file['name']),
  });
}

function resultsOf(block: Fields): readonly { readonly url: string | null; readonly title: string | null }[] {
  const found = objectIn(block, 'response')['results'];
  const list = Array.isArray(found) ? found : isPlainObject(found) ? found['results'] : [];
  const known = Array.isArray(block['knowledge']) ? block['knowledge'] : [];
  return [...(Array.isArray(list) ? list : []), ...known].filter(isPlainObject).flatMap((each) => {
    const url = textOrNull(each['url']) ?? textOrNull(each['link']) ?? textOrNull(each['sourceUrl']);
    const title = textOrNull(each['title']);
    return url === null && title === null ? [] : [{ url, title }];
  });
}
