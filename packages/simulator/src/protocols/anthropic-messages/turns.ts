import { createHash } from 'node:crypto';
import { isPlainObject, stableStringify } from '@bough/core';

type Json = Readonly<Record<string, unknown>>;

export interface Block {
  readonly value: Json;
  readonly type: string;
  /** Where it is in the request, such as `messages.3.content.0`. */
  readonly path: string;
}

/** Neighbours of one role, joined as the API joins them. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly Block[];
}

export function turnsOf(body: Json): readonly Turn[] {
  const turns: { role: string; blocks: Block[] }[] = [];
  for (const [index, message] of list(body['messages']).entries()) {
    if (!isPlainObject(message)) continue;
    const role = String(message['role']);
    const blocks = contentBlocks(message['content'], `messages.${index}.content`);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  return turns;
}

export function contentBlocks(content: unknown, path: string): Block[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ value: { type: 'text', text: content }, type: 'text', path }];
  return list(content).flatMap((value, index) =>
    isPlainObject(value) ? [{ value, type: String(value['type']), path: `${path}.${index}` }] : [],
  );
}

export const isThought = ({ type }: Pick<Block, 'type'>): boolean =>
  type === 'thinking' || type === 'redacted_thinking';

/** What a thought is bound to: everything before its turn, without thoughts and cache marks. */
export interface Prefixes {
  readonly system: string;
  /** `before[i]` names everything before turn i; the last entry names everything there is. */
  readonly before: readonly string[];
}

export function prefixesOf(body: Json, turns: readonly Turn[]): Prefixes {
  const system = digest(contentBlocks(body['system'], 'system').map(({ value }) => bare(value)));
  const named = new Set(
    turns.flatMap(({ blocks }) =>
      blocks.flatMap(({ value }) => (typeof value['name'] === 'string' ? [value['name']] : [])),
    ),
  );
  // A deferred tool that was never mentioned was never shown to the model.
  const tools = list(body['tools'])
    .filter((tool) => !isPlainObject(tool) || tool['defer_loading'] !== true || named.has(String(tool['name'])))
    .map(bare);
  let key = digest([system, tools]);
  const before = [key];
  for (const { role, blocks } of turns) {
    const said = blocks.filter((block) => !isThought(block)).map(({ value }) => bare(value));
    if (said.length > 0) key = digest([key, role, said]);
    before.push(key);
  }
  return { system, before };
}

/** Cache marks may move, and the order of keys does not count. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, member]) => [key, bare(member)]),
  );
}

export function digest(value: unknown): string {
  return createHash('sha256').update(stableStringify(value)).digest('hex').slice(0, 32);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
