import type { ContentBlock } from '@bough/core';
import { isPlainObject, sha256, stableStringify } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textForm, textOrNull, timeOrNull } from '../../fields.ts';
import type { InlineFiles } from '../sessions/inline-files.ts';
import type { SessionMessage, SessionThread } from '../sessions/session.ts';
import { replyOf } from './reply.ts';

type Said = Omit<SessionMessage, 'parentKey' | 'threadKey'>;

/** Entries that are no part of what a model is given. */
const UNUSED: ReadonlySet<unknown> = new Set(['model_change', 'thinking_level_change', 'label', 'custom']);

/**
 * The entries of one file. Each names its parent, so that one that goes back in the conversation leaves a branch. After
 * a compaction the model is given the summary and the last messages: that is a line of its own, which begins with them.
 */
export class EntryTree {
  readonly messages: SessionMessage[] = [];
  readonly leftOut: string[] = [];
  title: string | null = null;
  readonly #session: string;
  readonly #inline: InlineFiles;
  /** The message that an entry became, or the one above it. */
  readonly #messageOf = new Map<string, string | null>();
  readonly #parentOf = new Map<string, string | null>();
  readonly #lineOf = new Map<string, string>();
  readonly #lines = new Map<string, SessionThread>();
  /** All entries, by their places in the file: the header is the first one. */
  readonly #places: string[] = [''];
  #systemPrompt: string | null = null;

  constructor(session: string, inline: InlineFiles) {
    this.#session = session;
    this.#inline = inline;
  }

  add(entry: Fields): void {
    const given = textOrNull(entry['id']);
    if (entry['type'] === 'session_info') this.title = textOrNull(entry['name']) ?? this.title;
    // In the first version of the format entries have no ids: each follows the one before it in the file.
    const before = this.#places.at(-1) ?? '';
    const parent = textOrNull(entry['parentId']) ?? (given === null && before !== '' ? before : null);
    const id = given ?? nameless(entry, before);
    this.#places.push(id);
    this.#parentOf.set(id, parent);
    const above = parent === null ? null : (this.#messageOf.get(parent) ?? null);
    const line = (parent === null ? undefined : this.#lineOf.get(parent)) ?? this.#session;
    this.#messageOf.set(id, above);
    this.#lineOf.set(id, line);
    const key = given === null ? id : `${id} ${textOrNull(entry['timestamp']) ?? ''}`;
    if (entry['type'] === 'compaction') this.#compact(entry, id, key, above);
    else this.#say(id, this.#saidBy(entry, key), above);
    const tipKey = this.#messageOf.get(id) ?? null;
    const own = this.#lineOf.get(id) ?? line;
    if (tipKey === null) return;
    if (!this.#lines.has(own)) this.#lines.set(own, this.#line(own, null));
  }

  threads(): readonly SessionThread[] {
    return [...this.#lines.values()].map((line) => ({ ...line, systemPrompt: this.#systemPrompt }));
  }

  #line(key: string, besideKey: string | null): SessionThread {
    const isFirst = key === this.#session;
    return {
      key,
      session: this.#session,
      name: isFirst ? null : 'compacted',
      kind: 'main',
      besideKey,
      because: isFirst ? null : 'compacted',
      systemPrompt: null,
    };
  }

  #say(id: string, said: Said | null, above: string | null): void {
    if (said === null) return;
    this.messages.push({ ...said, parentKey: above, threadKey: this.#lineOf.get(id) ?? this.#session });
    this.#messageOf.set(id, said.key);
  }

  #compact(entry: Fields, id: string, key: string, above: string | null): void {
    const text = textOrNull(entry['summary']) ?? '';
    const createdAt = timeOrNull(entry['timestamp']);
    const line = `${this.#session} ${id}`;
    this.#lineOf.set(id, line);
    this.#say(id, { key, role: 'user', createdAt, blocks: [{ type: 'text', text }] }, null);
    let at: string = key;
    const index = entry['firstKeptEntryIndex'];
    const first = textOrNull(entry['firstKeptEntryId']) ?? (typeof index === 'number' ? this.#places[index] : null);
    for (const kept of this.#keptFrom(first ?? null, this.#parentOf.get(id) ?? null)) {
      const copy = { ...kept, key: `${kept.key}@${id}`, parentKey: at, threadKey: line };
      this.messages.push(copy);
      at = copy.key;
    }
    this.#messageOf.set(id, at);
    this.#lines.set(line, this.#line(line, above));
  }

  /** The messages between two entries of a path. */
  #keptFrom(first: string | null, last: string | null): readonly SessionMessage[] {
    const keys = new Set<string>();
    let at = first === null ? null : last;
    while (at !== null) {
      const key = this.#messageOf.get(at) ?? null;
      const isCompaction = this.#lines.has(`${this.#session} ${at}`);
      if (key !== null && !isCompaction) keys.add(key);
      if (at === first) break;
      at = this.#parentOf.get(at) ?? null;
    }
    return at === null ? [] : this.messages.filter(({ key }) => keys.has(key));
  }

  #saidBy(entry: Fields, key: string): Said | null {
    const createdAt = timeOrNull(entry['timestamp']);
    switch (entry['type']) {
      case 'message':
        return isPlainObject(entry['message']) ? this.#messageIn(entry['message'], key, createdAt) : null;
      case 'branch_summary':
        return { key, role: 'user', createdAt, blocks: [{ type: 'text', text: textForm(entry['summary']) }] };
      case 'custom_message':
        return { key, role: 'user', createdAt, blocks: this.#blocksOf(entry['content']) };
      default:
        if (!UNUSED.has(entry['type']) && entry['type'] !== 'session_info')
          this.leftOut.push(`entry ${textOrNull(entry['type']) ?? 'unknown'}`);
        return null;
    }
  }

  #messageIn(message: Fields, key: string, createdAt: string | null): Said | null {
    switch (message['role']) {
      case 'user':
      // What an extension told the model; the second name is that of older versions.
      case 'custom':
      case 'hookMessage':
        return { key, role: 'user', createdAt, blocks: this.#blocksOf(message['content']) };
      case 'assistant':
        return replyOf(message, key, createdAt, (kind) => this.leftOut.push(kind));
      case 'toolResult': {
        const blocks = this.#blocksOf(message['content']).filter(({ type }) => type === 'text');
        const toolCallId = (textOrNull(message['toolCallId']) ?? 'unknown').split('|')[0] ?? 'unknown';
        return { key, role: 'tool', createdAt, toolCallId, isError: message['isError'] === true, blocks };
      }
      case 'bashExecution': {
        const text = `$ ${textForm(message['command'])}\n${textForm(message['output'])}`;
        return { key, role: 'user', createdAt, blocks: [{ type: 'text', text }] };
      }
      case 'system':
        this.#systemPrompt = promptOf(message) ?? this.#systemPrompt;
        return null;
      default:
        this.leftOut.push(`message ${textOrNull(message['role']) ?? 'unknown'}`);
        return null;
    }
  }

  #blocksOf(content: unknown): readonly ContentBlock[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return (Array.isArray(content) ? content.filter(isPlainObject) : []).flatMap((part): ContentBlock[] => {
      if (part['type'] === 'text') return [{ type: 'text', text: textForm(part['text']) }];
      const data = textOrNull(part['data']);
      if (part['type'] === 'image' && data !== null)
        return [this.#inline.add('image', { data, mediaType: textOrNull(part['mimeType']), name: null })];
      this.leftOut.push(`part ${textOrNull(part['type']) ?? 'unknown'}`);
      return [];
    });
  }
}

/** A file that was branched off holds the same entries at other times. */
function nameless(entry: Fields, before: string): string {
  const { timestamp: _, ...said } = entry;
  return sha256(`${before}\n${stableStringify(said)}`).slice(0, 32);
}

function promptOf({ content, sections }: Fields): string | null {
  const parts = isPlainObject(sections) ? Object.values(sections).filter((part) => typeof part === 'string') : [];
  const text = [textOrNull(content) ?? '', ...parts].filter((part) => part !== '').join('\n\n');
  return text === '' ? null : text;
}
