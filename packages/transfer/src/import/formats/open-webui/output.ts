import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { idOrNull, objectOf, parametersOf, textForm, textOrNull } from '../../fields.ts';
import { toolResult } from '../anthropic-blocks.ts';
import { codeResult } from './details.ts';

/** What OpenAI's own tools did; Bough shows them as they are. */
const PROVIDER_ITEMS: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

/** A reply as Open WebUI stores it today: items of OpenAI's Responses API, and some of its own. */
export function blocksOfOutput(output: readonly unknown[], notes: Notes): readonly ContentBlock[] {
  return output.flatMap((value, index): readonly ContentBlock[] => {
    const item = objectOf(value, `output[${index}]`);
    const type = textOrNull(item['type']) ?? 'item';
    switch (type) {
      case 'message':
        return messageOf(item);
      case 'reasoning':
        return reasoningOf(item, notes);
      case 'function_call':
        return [
          {
            type: 'tool-use',
            id: callId(item, index),
            name: idOrNull(item['name']) ?? 'tool',
            parameters: parametersOf(item['arguments']),
          },
        ];
      case 'function_call_output':
        return [toolResult(callId(item, index), textIn(item['output'], notes), item['status'] === 'failed')];
      case 'open_webui:code_interpreter': {
        const id = idOrNull(item['id']) ?? `code-${index}`;
        const parameters = { code: textForm(item['code'] ?? ''), language: textOrNull(item['lang']) ?? 'python' };
        const use: ContentBlock = { type: 'tool-use', id, name: 'code_interpreter', parameters };
        const written = item['output'];
        return written === null || written === undefined ? [use] : [use, codeResult(id, written)];
      }
      default:
        if (PROVIDER_ITEMS.has(type)) return [{ ...item, type }];
        notes.leftOut.push(type);
        return [{ ...item, type: `open_webui_${type}` }];
    }
  });
}

function callId(item: Fields, index: number): string {
  return idOrNull(item['call_id']) ?? idOrNull(item['id']) ?? `call-${index}`;
}

function messageOf(item: Fields): readonly ContentBlock[] {
  const parts = Array.isArray(item['content']) ? item['content'] : [];
  return parts.flatMap((part: unknown): readonly ContentBlock[] => {
    const text = isPlainObject(part) ? (textOrNull(part['text']) ?? textOrNull(part['refusal'])) : textOrNull(part);
    if (text === null || text === '') return [];
    const annotations = isPlainObject(part) && Array.isArray(part['annotations']) ? part['annotations'] : [];
    return [{ type: 'text', text }, ...(annotations.length > 0 ? [{ type: 'annotations', annotations }] : [])];
  });
}

function reasoningOf(item: Fields, notes: Notes): readonly ContentBlock[] {
  const summary = Array.isArray(item['summary']) && item['summary'].length > 0 ? item['summary'] : item['content'];
  const thinking = textIn(summary, notes);
  const sealed = textOrNull(item['encrypted_content']);
  const details = item['reasoning_details'];
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(sealed === null || sealed === '' ? [] : [{ type: 'thinking_signature' as const, signature: sealed }]),
    ...(Array.isArray(details) && details.length > 0
      ? [{ type: 'reasoning_details', reasoning_details: details }]
      : []),
  ];
}

function textIn(value: unknown, notes: Notes): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return value === null || value === undefined ? '' : textForm(value);
  return value
    .map((part: unknown) => {
      const text = isPlainObject(part) ? textOrNull(part['text']) : textOrNull(part);
      if (text === null) notes.leftOut.push(isPlainObject(part) ? (textOrNull(part['type']) ?? 'part') : 'part');
      return text ?? '';
    })
    .join('');
}
