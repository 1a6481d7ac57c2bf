import type { ContentBlock, Usage } from '@bough/core';
import { isPlainObject, sha256 } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull, timeOrNull } from '../../fields.ts';
import type { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionMessage } from '../sessions/session.ts';

/** A message in the newest of its versions. */
interface Entry {
  readonly id: string;
  value: Fields;
}

/**
 * A chat as changes to a list of messages: one with a known id replaces it, `$set` replaces the list, `$rewindTo` cuts
 * it. What was cut stays as a branch.
 */
export class Chat {
  readonly #entries = new Map<string, Entry>();
  /** Every state that the list had when something was cut from it, and the one that it has. */
  readonly #lists: (readonly string[])[] = [];
  readonly #threadKey: string;
  readonly #space: string;
  readonly #inline: InlineFiles;
  readonly #leftOut: string[] = [];
  #list: string[] = [];

  constructor(threadKey: string, space: string, inline: InlineFiles) {
    this.#threadKey = threadKey;
    this.#space = space;
    this.#inline = inline;
  }

  add(record: Fields): void {
    const set = isPlainObject(record['$set']) ? record['$set'] : record;
    const rewind = textOrNull(record['$rewindTo']);
    if (rewind !== null) {
      const at = this.#list.indexOf(rewind);
      if (at >= 0) this.#become(this.#list.slice(0, at));
    } else if (Array.isArray(set['messages'])) {
      const messages = set['messages'].filter(isPlainObject);
      this.#become(messages.flatMap((message) => this.#note(message) ?? []));
    } else if (typeof record['id'] === 'string' && typeof record['type'] === 'string') {
      const id = this.#note(record);
      if (id !== null && !this.#list.includes(id)) this.#list.push(id);
    } else if (record['$set'] === undefined && record['sessionId'] === undefined)
      this.#leftOut.push(`record ${Object.keys(record).slice(0, 3).join(', ')}`);
  }

  /** A list of contents, without ids. */
  recall(history: readonly Fields[]): void {
    this.#list = history.map((content, at) => {
      const type = content['role'] === 'model' ? 'gemini' : 'user';
      const id = sha256(`${at} ${JSON.stringify(content)}`).slice(0, 32);
      this.#entries.set(id, { id, value: { type, content: content['parts'] } });
      return id;
    });
  }

  end(isRunning: boolean): {
    readonly messages: readonly SessionMessage[];
    readonly tipKey: string | null;
    readonly leftOut: readonly string[];
  } {
    // The calls of a reply are added to it after its words.
    const last = this.#entries.get(this.#list.at(-1) ?? '');
    if (isRunning && last?.value['type'] === 'gemini' && last.value['toolCalls'] === undefined) {
      this.#list.pop();
      this.#leftOut.push('unfinished reply');
    }
    const placed = new Map<string, SessionMessage>();
    const parentOf = new Map<string, string | null>();
    let tipKey: string | null = null;
    for (const list of [...this.#lists, this.#list]) {
      tipKey = null;
      const answered = new Set<string>();
      for (const id of list) {
        const entry = this.#entries.get(id);
        if (entry === undefined) continue;
        // After a compression the same message stands behind a summary: that is another one.
        const key: string = parentOf.has(id) && parentOf.get(id) !== tipKey ? `${id}@${tipKey ?? ''}` : id;
        if (key === id) parentOf.set(id, tipKey);
        for (const message of this.#messagesOf(entry, key, answered)) {
          const own: string = `${this.#space}${message.key}`;
          if (!placed.has(own))
            placed.set(own, { ...message, key: own, parentKey: tipKey, threadKey: this.#threadKey });
          tipKey = own;
        }
      }
    }
    return { messages: [...placed.values()], tipKey, leftOut: this.#leftOut };
  }

  #note(message: Fields): string | null {
    const given = textOrNull(message['id']);
    if (given === null) return null;
    // The results of a reply's calls may be written under the id of the reply.
    const isOther = this.#entries.get(given)?.value['type'] !== message['type'] && this.#entries.has(given);
    const id = isOther ? `${given} ${textOrNull(message['type']) ?? ''}` : given;
    const known = this.#entries.get(id);
    if (known === undefined) this.#entries.set(id, { id, value: message });
    // A chat that is resumed is written again without the calls' results and tokens.
    else known.value = { ...known.value, ...message };
    return id;
  }

  #become(list: string[]): void {
    const isLonger = list.length >= this.#list.length && this.#list.every((id, at) => list[at] === id);
    const isBegun = this.#list.every((id) => list.includes(id)) || list.every((id) => this.#list.includes(id));
    // When it is resumed, the client begins with its first message and then with the whole list.
    if (!isLonger && !(isBegun && list.length <= 1)) this.#lists.push(this.#list);
    this.#list = list;
  }

  #messagesOf(
    { value }: Entry,
    key: string,
    answered: Set<string>,
  ): readonly Omit<SessionMessage, 'parentKey' | 'threadKey'>[] {
    const createdAt = timeOrNull(value['timestamp']);
    const parts = partsOf(value['content']);
    if (Array.isArray(value['content']) && value['content'].length > parts.length)
      this.#leftOut.push('part of no kind');
    switch (value['type']) {
      case 'user': {
        const results = parts.flatMap((part) => resultOf(part, key, createdAt, answered));
        const blocks = parts.flatMap((part): ContentBlock[] => this.#userBlock(part));
        return [...results, ...(blocks.length === 0 ? [] : [{ key, role: 'user' as const, createdAt, blocks }])];
      }
      case 'gemini':
        return [replyOf(value, parts, key, createdAt), ...resultsIn(value, key, createdAt, answered)];
      case 'error':
        return [{ key, role: 'assistant', createdAt, isError: true, blocks: [{ type: 'text', text: textIn(parts) }] }];
      default:
        this.#leftOut.push(`message ${textOrNull(value['type']) ?? 'unknown'}`);
        return [];
    }
  }

  #userBlock(part: Fields): ContentBlock[] {
    if (typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }];
    const inline = isPlainObject(part['inlineData']) ? part['inlineData'] : {};
    const data = textOrNull(inline['data']);
    if (data !== null)
      return [this.#inline.add('image', { data, mediaType: textOrNull(inline['mimeType']), name: null })];
    if (!isPlainObject(part['functionResponse'])) this.#leftOut.push(`part ${Object.keys(part)[0] ?? 'empty'}`);
    return [];
  }
}

function partsOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  const list: readonly unknown[] = Array.isArray(content) ? content : [content];
  return list.flatMap((part) => (typeof part === 'string' ? [{ text: part }] : isPlainObject(part) ? [part] : []));
}

const textIn = (parts: readonly Fields[]): string => parts.map(({ text }) => textOrNull(text) ?? '').join('');

/** The parts of a reply as the model gave them, as far as they were kept: thoughts, words, calls. */
function replyOf(value: Fields, parts: readonly Fields[], key: string, createdAt: string | null) {
  const model = textOrNull(value['model']) ?? 'unknown';
  const thoughts = (Array.isArray(value['thoughts']) ? value['thoughts'] : []).filter(isPlainObject).map(thoughtOf);
  const isThought = parts.some((part) => part['thought'] === true);
  const named = new Set(parts.flatMap((part) => callIdOf(part['functionCall'])));
  const calls = callsIn(value)
    .filter(({ id }) => typeof id !== 'string' || !named.has(id))
    .map(({ id, name, args, thoughtSignature }) => ({
      functionCall: { ...(typeof id === 'string' ? { id } : {}), name, args: isPlainObject(args) ? args : {} },
      ...(typeof thoughtSignature === 'string' ? { thoughtSignature } : {}),
    }));
  const content = { role: 'model', parts: [...(isThought ? [] : thoughts), ...parts, ...calls] };
  const body = { candidates: [{ content, finishReason: 'STOP', index: 0 }], modelVersion: model };
  const reply = { api: 'gemini' as const, vendor: 'google', model, body, usage: usageOf(value['tokens']) };
  return { key, role: 'assistant' as const, createdAt, blocks: [], reply };
}

function thoughtOf({ subject, description }: Fields): Fields {
  const title = textOrNull(subject) ?? '';
  const text = textOrNull(description) ?? '';
  return { text: title === '' ? text : `**${title}**\n${text}\n`, thought: true };
}

const callsIn = (value: Fields): readonly Fields[] =>
  Array.isArray(value['toolCalls']) ? value['toolCalls'].filter(isPlainObject) : [];

const callIdOf = (call: unknown): readonly string[] =>
  isPlainObject(call) && typeof call['id'] === 'string' ? [call['id']] : [];

function resultsIn(value: Fields, key: string, createdAt: string | null, answered: Set<string>) {
  return callsIn(value).flatMap((call) => {
    const results = partsOf(call['result']).flatMap((part) => resultOf(part, key, createdAt, answered));
    return call['status'] === 'error' ? results.map((result) => ({ ...result, isError: true })) : results;
  });
}

/** A result is said twice: with its call, and in the message that answers it. */
function resultOf(part: Fields, key: string, createdAt: string | null, answered: Set<string>) {
  const response = part['functionResponse'];
  if (!isPlainObject(response)) return [];
  const toolCallId = textOrNull(response['id']) ?? textOrNull(response['name']) ?? 'unknown';
  if (answered.has(toolCallId)) return [];
  answered.add(toolCallId);
  const { output, error } = isPlainObject(response['response']) ? response['response'] : {};
  const text = textForm(output ?? error ?? response['response'] ?? '');
  const isError = error !== undefined;
  const blocks = [{ type: 'text' as const, text }];
  // Wherever it is read, it is the same one. Without an id it is named by its place.
  const own = textOrNull(response['id']) === null ? `${key} ${toolCallId}` : `result ${toolCallId}`;
  return [{ key: own, role: 'tool' as const, createdAt, toolCallId, isError, blocks }];
}

function usageOf(tokens: unknown): Usage | null {
  if (!isPlainObject(tokens)) return null;
  const count = (name: string): number => (typeof tokens[name] === 'number' ? tokens[name] : 0);
  return {
    inputTokens: count('input'),
    cachedInputTokens: count('cached'),
    outputTokens: count('output'),
    reasoningTokens: count('thoughts'),
  };
}
