import type { ContentBlock, Usage } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull, timeOrNull } from '../../fields.ts';
import type { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionMessage, SessionRecord } from '../sessions/session.ts';

export interface Said extends Omit<SessionMessage, 'parentKey' | 'threadKey'> {
  /** Of the result of a call that started a sub-agent. */
  readonly startedAgent?: string;
}

/** What records of Claude Code say. */
export const saidBy = { reply, record };

/** A reply from the records of its blocks: the provider's message, whole again. */
function reply(key: string, records: readonly SessionRecord[]): Said {
  const messages = records.map(({ value }) => (isPlainObject(value['message']) ? value['message'] : {}));
  const content = messages.flatMap((message) => listIn(message['content']));
  const last = messages.at(-1) ?? {};
  const value = records[0]?.value ?? {};
  const model = textOrNull(last['model']) ?? 'unknown';
  const isError = value['isApiErrorMessage'] === true;
  // What the client itself writes in place of a reply was made by no model.
  const isMade = model !== '<synthetic>' && !isError;
  const common = { key, role: 'assistant', createdAt: timeOrNull(value['timestamp']), isError } as const;
  if (!isMade) return { ...common, blocks: [{ type: 'text', text: textsIn(content).join('\n') }] };
  return {
    ...common,
    blocks: [],
    reply: {
      api: 'anthropic-messages',
      vendor: vendorOf(value),
      model,
      body: { ...last, content: content.filter((block) => !isEmptyText(block)) },
      usage: usageOf(last['usage']),
    },
  };
}

/** Bedrock and Vertex sign for themselves: what they made is not Anthropic's own. */
function vendorOf(value: Fields): string {
  const message = isPlainObject(value['message']) ? value['message'] : {};
  const id = textOrNull(message['id']) ?? '';
  if (id.startsWith('msg_bdrk_')) return 'bedrock';
  return id.startsWith('msg_vrtx_') ? 'vertex' : 'anthropic';
}

/** What a person, a tool or the client said; null for records that nobody says. */
function record(
  value: Fields,
  uuid: string,
  inline: InlineFiles,
): { readonly messages: readonly Said[]; readonly leftOut: readonly string[] } | null {
  const createdAt = timeOrNull(value['timestamp']);
  if (value['type'] === 'attachment') {
    const blocks = attached(value['attachment']);
    return blocks === null ? null : { messages: [{ key: uuid, role: 'user', createdAt, blocks }], leftOut: [] };
  }
  if (value['type'] !== 'user' || !isPlainObject(value['message'])) return null;
  const content = value['message']['content'];
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content);
  const leftOut: string[] = [];
  const messages: Said[] = [];
  const own: ContentBlock[] = [];
  for (const block of list) {
    if (block['type'] === 'tool_result') {
      const id = textOrNull(block['tool_use_id']) ?? 'unknown';
      const result = value['toolUseResult'];
      const agent = isPlainObject(result) ? textOrNull(result['agentId']) : null;
      leftOut.push(...pictures(block['content']).map(() => 'picture in a result'));
      messages.push({
        key: `${uuid} ${id}`,
        role: 'tool',
        createdAt,
        toolCallId: id,
        isError: block['is_error'] === true,
        blocks: [{ type: 'text', text: resultText(block['content']) }],
        ...(agent === null ? {} : { startedAgent: agent }),
      });
    } else if (block['type'] === 'text') own.push({ type: 'text', text: textForm(block['text']) });
    else {
      const file = fileIn(block, inline);
      if (file === null) leftOut.push(`block ${textOrNull(block['type']) ?? 'unknown'}`);
      else own.push(file);
    }
  }
  if (own.length > 0) messages.push({ key: uuid, role: 'user', createdAt, blocks: own });
  return { messages, leftOut };
}

/** What the person added while the agent worked, or pointed at; the client's own reminders are not of the person. */
function attached(value: unknown): readonly ContentBlock[] | null {
  if (!isPlainObject(value)) return null;
  if (value['type'] === 'queued_command') {
    const prompt = value['prompt'];
    const text = typeof prompt === 'string' ? prompt : textsIn(listIn(prompt)).join('\n');
    return text === '' ? null : [{ type: 'text', text }];
  }
  if (value['type'] !== 'file' || !isPlainObject(value['content'])) return null;
  const file = isPlainObject(value['content']['file']) ? value['content']['file'] : {};
  const text = textOrNull(file['content']);
  const name = textOrNull(value['filename']) ?? textOrNull(file['filePath']) ?? 'file';
  return text === null ? null : [{ type: 'text', text: `${name}:\n\n${text}` }];
}

function fileIn(block: Fields, inline: InlineFiles): ContentBlock | null {
  const source = isPlainObject(block['source']) ? block['source'] : {};
  const data = textOrNull(source['data']);
  if ((block['type'] !== 'image' && block['type'] !== 'document') || data === null) return null;
  return inline.add(block['type'], {
    data,
    mediaType: textOrNull(source['media_type']),
    name: textOrNull(block['title']),
  });
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listIn(content)
    .flatMap((block) => {
      if (block['type'] === 'text') return [textForm(block['text'])];
      if (block['type'] === 'tool_reference') return [`(tool ${textForm(block['tool_name'])})`];
      return block['type'] === 'image' ? ['(picture, not imported)'] : [textForm(block)];
    })
    .join('\n');
}

const pictures = (content: unknown): readonly Fields[] => listIn(content).filter(({ type }) => type === 'image');

export function usageOf(value: unknown): Usage | null {
  if (!isPlainObject(value)) return null;
  const count = (name: string): number => (typeof value[name] === 'number' ? value[name] : 0);
  const cachedInputTokens = count('cache_read_input_tokens');
  const cacheWriteTokens = count('cache_creation_input_tokens');
  return {
    inputTokens: count('input_tokens') + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: count('output_tokens'),
  };
}

function listIn(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

const textsIn = (content: readonly Fields[]): readonly string[] =>
  content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));

const isEmptyText = ({ type, text }: Fields): boolean => type === 'text' && text === '';
