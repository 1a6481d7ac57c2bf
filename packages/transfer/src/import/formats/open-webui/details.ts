import type { ContentBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { parametersOf, textForm, textOrNull } from '../../fields.ts';
import { toolResult } from '../anthropic-blocks.ts';

// Until 2026 Open WebUI stored a reply as the text that it showed, with thoughts, tools and code as elements in it.

const DETAILS = /<details\s+type="(reasoning|tool_calls|code_interpreter)"([^>]*)>(.*?)<\/details>/gs;

/** A reply in that form, in blocks; every other `<details>` is the model's own. */
export function blocksOfDetails(content: string): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const say = (text: string): void => {
    const said = blocks.length === 0 ? text.trimEnd() : text.trim();
    if (said !== '') blocks.push({ type: 'text', text: said });
  };
  let from = 0;
  for (const match of content.matchAll(DETAILS)) {
    const [whole, type, attributes = '', inside = ''] = match;
    say(content.slice(from, match.index));
    from = match.index + whole.length;
    const body = inside.replace(/^\s*<summary>.*?<\/summary>\n?/s, '').trim();
    if (type === 'reasoning') blocks.push(...thought(body));
    else if (type === 'tool_calls') blocks.push(...call(attributesIn(attributes), body, blocks.length));
    else blocks.push(...code(attributesIn(attributes), body, blocks.length));
  }
  if (from === 0) return content === '' ? [] : [{ type: 'text', text: content }];
  say(content.slice(from));
  return blocks;
}

function thought(body: string): readonly ContentBlock[] {
  const thinking = unescaped(body).replaceAll(/^> ?/gm, '');
  return thinking === '' ? [] : [{ type: 'thinking', thinking }];
}

type Attributes = ReadonlyMap<string, string>;

function call(attributes: Attributes, body: string, place: number): readonly ContentBlock[] {
  const id = attributes.get('id') || `call-${place}`;
  const parameters = parametersOf(decoded(attributes.get('arguments') ?? ''));
  const use: ContentBlock = { type: 'tool-use', id, name: attributes.get('name') || 'tool', parameters };
  if (attributes.get('done') === 'false') return [use];
  return [use, toolResult(id, textForm(decoded(attributes.get('result') ?? unescaped(body))))];
}

function code(attributes: Attributes, body: string, place: number): readonly ContentBlock[] {
  const id = `code-${place}`;
  const [, language = '', source = body] = /^```(\S*)\n(.*?)\n?```$/s.exec(body) ?? [];
  const parameters = { code: source, ...(language === '' ? {} : { language }) };
  const use: ContentBlock = { type: 'tool-use', id, name: 'code_interpreter', parameters };
  const output = attributes.get('output');
  return output === undefined ? [use] : [use, codeResult(id, decoded(output))];
}

/** What a program wrote: its outputs one after the other, or whatever else was kept. */
export function codeResult(id: string, output: unknown): ContentBlock {
  if (!isPlainObject(output)) return toolResult(id, textForm(output));
  const written = ['stdout', 'stderr', 'result'].flatMap((name) => textOrNull(output[name]) || []);
  const isError = typeof output['stderr'] === 'string' && output['stderr'] !== '';
  return toolResult(id, written.length > 0 ? written.join('\n') : textForm(output), isError);
}

/** A value that was written as JSON; a text that is none stands for itself. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function attributesIn(text: string): Attributes {
  const found = [...text.matchAll(/([\w-]+)="([^"]*)"/g)];
  return new Map(found.map(([, name = '', value = '']) => [name, unescaped(value)]));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|amp|#x27|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
