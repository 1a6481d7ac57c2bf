import type { ContentBlock, Usage } from '@bough/core';
import { isPlainObject, sha256, stableStringify } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull, timeOrNull } from '../../fields.ts';
import type { InlineFiles } from '../sessions/inline-files.ts';
import { inlineOf } from '../sessions/inline-files.ts';
import type { SessionMessage, SessionThread } from '../sessions/session.ts';

/** Says the same as the items, or nothing that is part of a conversation. */
const UNUSED: ReadonlySet<unknown> = new Set([
  'session_meta',
  'world_state',
  'event_msg',
  'turn_context',
  'token_usage_record',
  'ghost_snapshot',
]);

/** What the client keeps about an item beside what the provider sent. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['internal_chat_message_metadata_passthrough', 'metadata']);

/** Items that answer a call. */
const OUTPUTS = /_output$/;

/**
 * One rollout, read record by record. Items of a reply stand one by one; the reply ends with what somebody else says,
 * or with the count of its tokens. A message is named by everything that was said up to it.
 */
export class Rollout {
  readonly messages: SessionMessage[] = [];
  readonly threads: SessionThread[] = [];
  readonly leftOut: string[] = [];
  readonly #session: string;
  readonly #inline: InlineFiles;
  readonly #vendor: string | null;
  readonly #systemPrompt: string | null;
  #model: string;
  #turn: string | undefined;
  #tip: string | null = null;
  /** What came before each turn. */
  readonly #turns: { readonly turn: string; readonly tip: string | null }[] = [];
  #items: Fields[] = [];
  #itemsAt: string | null = null;
  #compactions = 0;
  #beside: string | null = null;

  constructor(session: string, meta: Fields, inline: InlineFiles) {
    this.#session = session;
    this.#inline = inline;
    this.#vendor = textOrNull(meta['model_provider']);
    const base = meta['base_instructions'];
    this.#systemPrompt = (isPlainObject(base) ? textOrNull(base['text']) : null) ?? textOrNull(meta['instructions']);
    this.#model = textOrNull(meta['model']) ?? 'unknown';
  }

  add(record: Fields): void {
    const payload = isPlainObject(record['payload']) ? record['payload'] : {};
    const at = timeOrNull(record['timestamp']);
    switch (record['type']) {
      case 'turn_context':
        this.#flush();
        this.#model = textOrNull(payload['model']) ?? this.#model;
        this.#begin(textOrNull(payload['turn_id']) ?? undefined);
        return;
      case 'event_msg':
        if (payload['type'] === 'token_count') this.#flush(usageOf(payload['info']));
        else if (payload['type'] === 'task_started') this.#begin(textOrNull(payload['turn_id']) ?? this.#turn);
        else if (payload['type'] === 'thread_rolled_back') this.#takeBack(Number(payload['num_turns']));
        else if (payload['type'] === 'error') this.#fail(textOrNull(payload['message']), at);
        return;
      case 'response_item':
        return this.#item(payload, at);
      case 'compacted':
        return this.#compact(payload, at);
      default:
        if (!UNUSED.has(record['type'])) this.leftOut.push(textOrNull(record['type']) ?? 'record');
    }
  }

  /** The person took back what was said last: the next message follows what came before that. */
  #takeBack(turns: number): void {
    this.#flush();
    const before = this.#turns.splice(-turns, turns)[0];
    if (before !== undefined) this.#tip = before.tip;
  }

  /** The newest message: what a sub-agent that was started now runs beside. */
  get tip(): string | null {
    return this.#tip;
  }

  /** A reply that nothing follows may still be going on. */
  end(isRunning: boolean): void {
    const isOpen = this.#items.length > 0 && (isRunning || this.#items.at(-1)?.['type'] === 'reasoning');
    if (isOpen) this.leftOut.push('unfinished reply');
    else this.#flush();
    this.#close();
  }

  #begin(turn: string | undefined): void {
    this.#turn = turn;
    if (turn !== undefined && this.#turns.at(-1)?.turn !== turn) this.#turns.push({ turn, tip: this.#tip });
  }

  #item(payload: Fields, at: string | null): void {
    const item = Object.fromEntries(
      Object.entries(payload).filter(([name, value]) => !OWN_FIELDS.has(name) && value !== null),
    );
    const type = textOrNull(item['type']) ?? 'item';
    if (type === 'additional_tools' || type === 'ghost_snapshot') {
      this.leftOut.push(type);
      return;
    }
    if (type === 'message' && item['role'] !== 'assistant') {
      this.#flush();
      const role = item['role'] === 'user' ? 'user' : 'system';
      const blocks = this.#blocksOf(item['content'], role);
      this.#say(item, { role, createdAt: at, blocks });
      return;
    }
    if (OUTPUTS.test(type) && type !== 'program_output') {
      this.#flush();
      const { text, isError } = outputOf(item['output']);
      const toolCallId = textOrNull(item['call_id']) ?? textOrNull(item['id']) ?? 'unknown';
      this.#say(item, { role: 'tool', createdAt: at, toolCallId, isError, blocks: [{ type: 'text', text }] });
      return;
    }
    this.#items.push(item);
    this.#itemsAt ??= at;
  }

  /** Ends the reply that was being written. */
  #flush(usage: Usage | null = null): void {
    const output = this.#items;
    if (output.length === 0) return;
    const createdAt = this.#itemsAt;
    this.#items = [];
    this.#itemsAt = null;
    const body = { object: 'response', status: 'completed', model: this.#model, output };
    const reply = { api: 'openai-responses' as const, vendor: this.#vendor, model: this.#model, body, usage };
    this.#say(output, { role: 'assistant', createdAt, blocks: [], reply });
  }

  #say(said: unknown, message: Omit<SessionMessage, 'key' | 'parentKey' | 'threadKey'>): void {
    const key = sha256(`${this.#tip ?? ''}\n${stableStringify(withoutIds(said))}`).slice(0, 32);
    const turnKey = this.#turn === undefined ? {} : { turnKey: this.#turn };
    this.messages.push({ ...message, key, parentKey: this.#tip, threadKey: this.#threadKey(), ...turnKey });
    this.#tip = key;
  }

  #threadKey(): string {
    return this.#compactions === 0 ? this.#session : `${this.#session} ${this.#compactions}`;
  }

  #fail(message: string | null, at: string | null): void {
    this.#flush();
    const text = message ?? 'Unknown error';
    this.#say(text, { role: 'assistant', createdAt: at, isError: true, blocks: [{ type: 'text', text }] });
  }

  /** From here on the model is given something else in place of what was said. */
  #compact(payload: Fields, at: string | null): void {
    this.#flush();
    this.#close();
    this.#beside = this.#tip;
    this.#tip = null;
    this.#compactions += 1;
    const turn = this.#turn;
    this.#turn = undefined;
    const history = payload['replacement_history'];
    const items = Array.isArray(history) ? history.filter(isPlainObject) : [];
    for (const item of items) this.#item(item, at);
    this.#flush();
    const message = textOrNull(payload['message']) ?? '';
    if (items.length === 0 && message !== '')
      this.#say(message, { role: 'user', createdAt: at, blocks: [{ type: 'text', text: message }] });
    this.#turn = turn === undefined ? undefined : `${turn} ${this.#compactions}`;
  }

  #close(): void {
    if (this.#tip === null) return;
    const isFirst = this.#compactions === 0;
    this.threads.push({
      key: this.#threadKey(),
      session: this.#session,
      name: isFirst ? null : 'compacted',
      kind: 'main',
      besideKey: this.#beside,
      because: isFirst ? null : 'compacted',
      systemPrompt: this.#systemPrompt,
    });
  }

  #blocksOf(content: unknown, role: 'user' | 'system'): readonly ContentBlock[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return (Array.isArray(content) ? content.filter(isPlainObject) : []).flatMap((part): ContentBlock[] => {
      if (typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }];
      const file =
        role === 'user' ? inlineOf(textOrNull(part['image_url']) ?? textOrNull(part['file_data']) ?? '') : null;
      if (file !== null) return [this.#inline.add('image', { ...file, name: textOrNull(part['filename']) })];
      this.leftOut.push(`part ${textOrNull(part['type']) ?? 'unknown'}`);
      return [];
    });
  }
}

/** Ids of messages and outputs are made by the client, in newer versions only: a fork may have other ones. */
function withoutIds(said: unknown): unknown {
  if (!isPlainObject(said)) return said;
  return Object.fromEntries(Object.entries(said).filter(([name]) => name !== 'id'));
}

function outputOf(output: unknown): { readonly text: string; readonly isError: boolean } {
  if (isPlainObject(output))
    return { text: textOrNull(output['content']) ?? textForm(output), isError: output['success'] === false };
  if (!Array.isArray(output)) return { text: textForm(output), isError: false };
  const texts = output.map((part: unknown) => (isPlainObject(part) ? (textOrNull(part['text']) ?? '(picture)') : ''));
  return { text: texts.join('\n'), isError: false };
}

function usageOf(info: unknown): Usage | null {
  const last = isPlainObject(info) && isPlainObject(info['last_token_usage']) ? info['last_token_usage'] : null;
  if (last === null) return null;
  const count = (name: string): number => (typeof last[name] === 'number' ? last[name] : 0);
  return {
    inputTokens: count('input_tokens'),
    cachedInputTokens: count('cached_input_tokens'),
    outputTokens: count('output_tokens'),
    reasoningTokens: count('reasoning_output_tokens'),
  };
}
