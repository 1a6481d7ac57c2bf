import { isPlainObject } from '@bough/core';

// Reads requests independently of the builder: a mistake there would otherwise be made twice and never noticed.

export type Json = Readonly<Record<string, unknown>>;

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function records(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

/** A message may omit its type. */
export function kindOf(item: Json): string {
  return text(item['type']) || (typeof item['role'] === 'string' ? 'message' : '');
}

export function saidIn(item: Json): string {
  if (typeof item['content'] === 'string') return item['content'];
  return records(item['content'])
    .map((part) => text(part['text']) + text(part['refusal']))
    .join('');
}

/** What the model wrote, as opposed to what people, tools and clients did. */
export function isWritten(item: Json): boolean {
  const kind = kindOf(item);
  if (kind === 'message') return item['role'] === 'assistant';
  if (kind === 'program_output' || (kind === 'tool_search_output' && item['execution'] !== 'client')) return true;
  return !kind.endsWith('_output') && !BY_CLIENTS.has(kind);
}

const BY_CLIENTS: ReadonlySet<string> = new Set([
  'item_reference',
  'compaction_trigger',
  'additional_tools',
  'configuration_update',
  'mcp_approval_response',
]);

/** About four characters of JSON each. */
export function tokensIn(values: readonly unknown[]): number {
  return values.length === 0 ? 0 : Math.ceil(JSON.stringify(values).length / 4);
}

/** The items of a request; plain text is one message of the user. */
export function itemsOf(input: unknown): readonly Json[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : records(input);
}
