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
    // A message that only sets the effort says nothing and separates nothing.
    if (!isPlainObject(message) || isSilent(message)) continue;
    const role = String(message['role']);
    const blocks = contentBlocks(message['content'], `messages.${index}.content`);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  return turns;
}

function isSilent({ role, content, output_config: output }: Json): boolean {
  return role === 'system' && list(content).length === 0 && typeof content !== 'string' && isPlainObject(output);
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
  /** What precedes all messages: system and tools. */
  readonly base: string;
  /**
   * Ways to name what precedes each turn: `chains[0][i]` everything before turn i, the last entry everything there is.
   * The other chains go on where a summary says that the summarised messages ended.
   */
  readonly chains: readonly (readonly string[])[];
}

export function baseOf(body: Json): { readonly system: string; readonly base: string } {
  const system = digest(contentBlocks(body['system'], 'system').map(({ value }) => bare(value)));
  const tools = list(body['tools']).filter((tool) => !isDeferred(tool));
  return { system, base: digest([system, tools.map(bare)]) };
}

export function prefixesOf(body: Json, turns: readonly Turn[], ends: readonly string[]): Prefixes {
  const { system, base } = baseOf(body);
  const said = turns.map(({ role, blocks }) => ({ role, blocks: blocks.filter((block) => !isThought(block)) }));
  const kept = said.map(({ role, blocks }) => ({ role, blocks: blocks.filter(({ type }) => type !== 'compaction') }));
  return { system, base, chains: [chain(base, said, body), ...ends.map((end) => chain(end, kept, body))] };
}

const isDeferred = (tool: unknown): boolean => isPlainObject(tool) && tool['defer_loading'] === true;

function chain(start: string, turns: readonly Turn[], body: Json): readonly string[] {
  // A deferred tool is shown to the model where it is mentioned first, and counts from there on.
  const hidden = new Map(
    list(body['tools']).flatMap((tool) =>
      isPlainObject(tool) && isDeferred(tool) ? [[String(tool['name']), bare(tool)] as const] : [],
    ),
  );
  let key = start;
  const before = [key];
  for (const { role, blocks } of turns) {
    const shown = blocks.flatMap(namesIn).flatMap((name) => {
      const tool = hidden.get(name);
      hidden.delete(name);
      return tool === undefined ? [] : [tool];
    });
    if (blocks.length > 0) {
      key = digest([key, role, blocks.map(({ value }) => bare(value)), ...(shown.length > 0 ? [shown] : [])]);
    }
    before.push(key);
  }
  return before;
}

/** The tools that a block mentions: by calling, adding, removing or finding them. */
function namesIn(block: Block): readonly string[] {
  const { name, tool } = block.value;
  const named = isPlainObject(tool) ? tool['name'] : name;
  return [...(typeof named === 'string' ? [named] : []), ...foundTools(block)];
}

/** The tools that a search has found: the client's, or the provider's own. */
export function foundTools({ type, value: { content } }: Block): readonly string[] {
  const isSearch = type === 'tool_search_tool_result' && isPlainObject(content);
  const references = type === 'tool_result' ? list(content) : isSearch ? list(content['tool_references']) : [];
  return references.flatMap((reference) =>
    isPlainObject(reference) && typeof reference['tool_name'] === 'string' ? [reference['tool_name']] : [],
  );
}

/** Cache marks may move, and the order of keys does not count. */
export function bare(value: unknown): unknown {
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
