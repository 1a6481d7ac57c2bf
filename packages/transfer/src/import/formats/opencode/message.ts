import type { ContentBlock, ProtocolId, Usage } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { errorText } from '../../error-reply.ts';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull, timeOrNull } from '../../fields.ts';
import type { ReplyPart } from '../sessions/bodies.ts';
import { bodyOf } from '../sessions/bodies.ts';
import type { InlineFiles } from '../sessions/inline-files.ts';
import { inlineOf } from '../sessions/inline-files.ts';
import type { SessionMessage } from '../sessions/session.ts';
import type { StoredMessage } from './store.ts';

type Said = Omit<SessionMessage, 'parentKey' | 'threadKey'>;

/** Parts that say what the client did, or where one of its requests begins and ends. */
const UNUSED: ReadonlySet<unknown> = new Set(['step-start', 'step-finish', 'snapshot', 'patch', 'compaction', 'retry']);

/** Everything else is taken for a server that speaks OpenAI's chat protocol. */
const PROTOCOLS: Readonly<Record<string, ProtocolId>> = {
  anthropic: 'anthropic-messages',
  openai: 'openai-responses',
  google: 'gemini',
};

/** Makes messages of what opencode stored. */
export class MessageReader {
  readonly leftOut: string[] = [];
  readonly #inline: InlineFiles;

  constructor(inline: InlineFiles) {
    this.#inline = inline;
  }

  read({ id, value, parts }: StoredMessage): readonly Said[] {
    const time = isPlainObject(value['time']) ? value['time'] : {};
    const createdAt = timeOrNull(time['created']);
    if (value['role'] === 'user') return this.#user(id, parts, createdAt);
    if (value['role'] === 'assistant') return this.#replies(id, value, parts, createdAt);
    this.leftOut.push(`message ${textOrNull(value['role']) ?? 'unknown'}`);
    return [];
  }

  #user(id: string, parts: StoredMessage['parts'], createdAt: string | null): readonly Said[] {
    const blocks = parts.flatMap(({ value }): ContentBlock[] => {
      if (value['type'] === 'text') return [{ type: 'text', text: textForm(value['text']) }];
      if (value['type'] === 'compaction') return [{ type: 'text', text: 'What did we do so far?' }];
      const name = textOrNull(value['filename']);
      const file = value['type'] === 'file' ? inlineOf(textOrNull(value['url']) ?? '', name) : null;
      if (file !== null) return [this.#inline.add('file', file)];
      this.#leave(value);
      return [];
    });
    return blocks.length === 0 ? [] : [{ key: id, role: 'user', createdAt, blocks }];
  }

  /** Older versions keep all requests of a turn in one message, in steps. */
  #replies(id: string, value: Fields, parts: StoredMessage['parts'], createdAt: string | null): readonly Said[] {
    const steps: StoredMessage['parts'][number][][] = [];
    for (const part of parts) {
      const isNew = part.value['type'] === 'step-start' || steps.length === 0;
      if (isNew) steps.push([part]);
      else steps.at(-1)?.push(part);
    }
    const problem = errorText(isPlainObject(value['error']) ? (value['error']['data'] ?? value['error']) : null);
    const said = steps.flatMap((step, at) => this.#step(at === 0 ? id : `${id} ${at}`, value, step, createdAt));
    if (problem === null) return said;
    const isAborted = isPlainObject(value['error']) && value['error']['name'] === 'MessageAbortedError';
    const last = said.findLastIndex(({ role }) => role === 'assistant');
    const kept = said.map((message, at) => (at === last ? { ...message, interrupted: true } : message));
    if (isAborted && last >= 0) return kept;
    const blocks = [{ type: 'text' as const, text: problem }];
    return [...kept, { key: `${id} error`, role: 'assistant', createdAt, isError: true, blocks }];
  }

  #step(key: string, value: Fields, step: StoredMessage['parts'], createdAt: string | null): readonly Said[] {
    const vendor = textOrNull(value['providerID']);
    const model = textOrNull(value['modelID']) ?? 'unknown';
    const parts = step.flatMap(({ value: part }) => this.#part(part));
    if (parts.length === 0) return [];
    const api = PROTOCOLS[vendor ?? ''] ?? 'openai-chat';
    const usage = usageOf(step.findLast((part) => part.value['type'] === 'step-finish')?.value['tokens']);
    const reply = { api, vendor, model, body: bodyOf(api, model, parts, null), usage };
    return [
      { key, role: 'assistant', createdAt, blocks: [], reply },
      ...step.flatMap(({ value: part }) => resultOf(part, key, createdAt)),
    ];
  }

  #part(part: Fields): ReplyPart[] {
    const kept = metadataOf(part);
    const signature = (...names: readonly string[]): string | null =>
      names.map((name) => textOrNull(kept[name])).find((found) => found !== null) ?? null;
    const itemId = textOrNull(kept['itemId']);
    switch (part['type']) {
      case 'reasoning': {
        const redacted = signature('redactedData');
        const found = redacted ?? signature('signature', 'reasoningEncryptedContent', 'thoughtSignature');
        const text = textForm(part['text'] ?? '');
        return [{ type: 'thinking', text, signature: found, isRedacted: redacted !== null, itemId }];
      }
      case 'text': {
        const text = textForm(part['text'] ?? '');
        const phase = textOrNull(kept['phase']);
        return text === '' ? [] : [{ type: 'text', text, signature: signature('thoughtSignature'), itemId, phase }];
      }
      case 'tool': {
        const state = isPlainObject(part['state']) ? part['state'] : {};
        const input = isPlainObject(state['input']) ? state['input'] : {};
        const id = textForm(part['callID'] ?? '');
        const name = textForm(part['tool'] ?? '');
        return [{ type: 'call', id, name, input, signature: signature('thoughtSignature'), itemId }];
      }
      default:
        this.#leave(part);
        return [];
    }
  }

  #leave(part: Fields): void {
    if (!UNUSED.has(part['type'])) this.leftOut.push(`part ${textOrNull(part['type']) ?? 'unknown'}`);
  }
}

/** What the provider said about a part, whichever it was. */
function metadataOf(part: Fields): Fields {
  const metadata = isPlainObject(part['metadata']) ? part['metadata'] : {};
  return Object.assign({}, ...Object.values(metadata).filter(isPlainObject)) as Fields;
}

function resultOf(part: Fields, key: string, createdAt: string | null): Said[] {
  if (part['type'] !== 'tool' || !isPlainObject(part['state'])) return [];
  const { status, output, error } = part['state'];
  if (status !== 'completed' && status !== 'error') return [];
  const toolCallId = textForm(part['callID'] ?? '');
  const isError = status === 'error';
  const blocks = [{ type: 'text' as const, text: textForm((isError ? error : output) ?? '') }];
  return [{ key: `${key} ${toolCallId}`, role: 'tool', createdAt, toolCallId, isError, blocks }];
}

function usageOf(tokens: unknown): Usage | null {
  if (!isPlainObject(tokens)) return null;
  const count = (name: string, of: Fields = tokens): number => (typeof of[name] === 'number' ? of[name] : 0);
  const cache = isPlainObject(tokens['cache']) ? tokens['cache'] : {};
  return {
    inputTokens: count('input') + count('read', cache) + count('write', cache),
    cachedInputTokens: count('read', cache),
    cacheWriteTokens: count('write', cache),
    outputTokens: count('output') + count('reasoning'),
    ...(count('reasoning') > 0 ? { reasoningTokens: count('reasoning') } : {}),
  };
}
