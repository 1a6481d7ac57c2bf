import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { objectIn, parametersOf, textForm, textOrNull } from '../../fields.ts';

/** A call of one of ChatGPT's tools that has no result yet: exports hold no ids of calls, so messages lend theirs. */
export interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** Of a call that is told with its result: other calls come between them. */
  readonly block?: ContentBlock;
}

/** The calls that are open below a message. */
export type OpenCalls = readonly OpenCall[];

/** To whom a message goes where it goes to a tool: `python`, `bio`, `dalle.text2im`, `canmore.create_textdoc`, … */
export function toolCalled(fields: Fields): string | null {
  const recipient = textOrNull(fields['recipient']) ?? 'all';
  return recipient === 'all' || recipient === 'assistant' || recipient === 'user' || recipient === ''
    ? null
    : recipient;
}

export function callBlock(id: string, tool: string, content: Fields, text: string): ContentBlock {
  const read = parametersOf(text);
  const isCode = content['content_type'] === 'code' && Object.keys(read).length === 1 && read['value'] === text;
  return { type: 'tool-use', id, name: tool, parameters: isCode ? { code: text } : read };
}

/** `browser` answers a call of `browser.search`. */
const isOfTool = (called: string, tool: string): boolean => called === tool || family(called) === family(tool);
const family = (name: string): string => name.split('.')[0] ?? name;

/** The nearest open call of the tool that answers. */
export function answered(open: OpenCalls, tool: string): OpenCall | null {
  return open.findLast((call) => call.tool === tool) ?? open.findLast((call) => isOfTool(call.tool, tool)) ?? null;
}

/**
 * Where the output of a call is: directly below it, further down before the next question, or nowhere. A result counts
 * only directly behind its call.
 */
export function placeOfOutput(mapping: Fields, key: string, tool: string): 'next' | 'later' | 'never' {
  const isOutput = (entry: string): boolean => {
    const author = authorOf(mapping, entry);
    return author['role'] === 'tool' && isOfTool(tool, textOrNull(author['name']) || 'tool');
  };
  const waiting = [...childrenOf(mapping, key)];
  if (waiting.some(isOutput)) return 'next';
  const seen = new Set<string>([key]);
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (isOutput(entry)) return 'later';
    if (seen.has(entry) || authorOf(mapping, entry)['role'] === 'user') continue;
    seen.add(entry);
    waiting.push(...childrenOf(mapping, entry));
  }
  return 'never';
}

function entryOf(mapping: Fields, key: string): Fields {
  return Object.hasOwn(mapping, key) ? objectIn(mapping, key) : {};
}

const authorOf = (mapping: Fields, key: string): Fields =>
  objectIn(objectIn(entryOf(mapping, key), 'message'), 'author');

function childrenOf(mapping: Fields, key: string): readonly string[] {
  const { children } = entryOf(mapping, key);
  return (Array.isArray(children) ? children : []).map(String);
}

/** What a tool gave, in words. */
export function outputText(content: Fields, partsText: string): string {
  const type = textOrNull(content['content_type']) ?? 'text';
  const text = textOrNull(content['text']) ?? textOrNull(content['result']) ?? textOrNull(content['content']);
  switch (type) {
    case 'tether_quote':
    case 'sonic_webpage':
      return [content['title'], content['url'], text ?? content['snippet']]
        .flatMap((each) => textOrNull(each) || [])
        .join('\n');
    case 'tether_browsing_display':
      return [text, textOrNull(content['summary'])].filter((each) => each !== null && each !== '').join('\n\n');
    case 'computer_output':
      return text ?? (isPlainObject(content['state']) ? textForm(content['state']) : '');
    case 'system_error':
      return [textOrNull(content['name']), text].filter((each) => each !== null && each !== '').join(': ');
    case 'text':
    case 'multimodal_text':
    case 'execution_output':
    case 'code':
      return text ?? partsText;
    default:
      return text ?? (partsText === '' ? textForm(content) : partsText);
  }
}

export function isFailedOutput(fields: Fields, content: Fields): boolean {
  const metadata = objectIn(fields, 'metadata');
  return (
    content['content_type'] === 'system_error' ||
    isPlainObject(objectIn(metadata, 'aggregate_result')['in_kernel_exception'])
  );
}
