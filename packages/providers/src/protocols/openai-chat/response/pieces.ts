import { isPlainObject } from '@bough/core';
import type { Json } from './json.ts';
import { firstText, objectsAt, stringAt } from './json.ts';

/** What one delta says, in the intended order: reasoning, content, calls, everything else. */
export type Piece =
  /** Reasoning from a dedicated field. */
  | { readonly kind: 'reasoning'; readonly text: string }
  /** One entry of `reasoning_details`. */
  | { readonly kind: 'detail'; readonly entry: Json }
  /** Content as a string: may hold think tags. */
  | { readonly kind: 'content'; readonly text: string }
  /** Mistral's content parts. */
  | { readonly kind: 'thinking_chunk'; readonly text: string; readonly signature: string | null }
  | { readonly kind: 'text_chunk'; readonly text: string }
  | { readonly kind: 'call'; readonly delta: Json }
  /** Content under a key that has no other place. `whole`: the value replaces what came before under that key. */
  | { readonly kind: 'extra'; readonly key: string; readonly value: unknown; readonly whole?: boolean };

const REASONING_KEYS = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** Read above, or about the transport rather than what the model said. */
const NOT_CONTENT: ReadonlySet<string> = new Set([
  ...REASONING_KEYS,
  'reasoning_details',
  'content',
  'tool_calls',
  'role',
  'name',
  'token_id',
  'provider_metadata',
]);

/** The pieces of a streamed `delta`. */
export function piecesOfDelta(delta: Json): Piece[] {
  const pieces: Piece[] = [];
  addReasoning(delta, pieces);
  const { content } = delta;
  // The form of nearly every delta.
  if (typeof content === 'string' && content !== '') pieces.push({ kind: 'content', text: content });
  else pieces.push(...contentPieces(content));
  addCalls(delta, pieces);
  addExtras(delta, pieces);
  return pieces;
}

/** The pieces of a whole `message`: a delta that holds everything, whose calls are distinguished by position. */
export function piecesOfMessage(message: Json): Piece[] {
  const calls = objectsAt(message, 'tool_calls').map((call, index) => ({ ...call, index }));
  return piecesOfDelta(calls.length === 0 ? message : { ...message, tool_calls: calls });
}

function addReasoning(delta: Json, pieces: Piece[]): void {
  const details = objectsAt(delta, 'reasoning_details');
  const told = details.some((entry) => firstText(entry, ['text', 'summary']) !== '');
  for (const entry of details) pieces.push({ kind: 'detail', entry });
  // A server that sends details repeats their text in `reasoning`: reading both would show every thought twice.
  const text = told ? '' : firstText(delta, REASONING_KEYS);
  if (text !== '') pieces.push({ kind: 'reasoning', text });
}

function contentPieces(content: unknown): Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'content', text: content }];
  if (!Array.isArray(content)) return isEmpty(content) ? [] : [{ kind: 'extra', key: 'content', value: content }];
  const parts: readonly unknown[] = content;
  return parts.flatMap((part) => (isPlainObject(part) ? chunkPieces(part) : contentPieces(part)));
}

function chunkPieces(part: Json): Piece[] {
  const type = stringAt(part, 'type');
  if (type === 'text' || type === 'output_text') {
    const text = stringAt(part, 'text') ?? '';
    return text === '' ? [] : [{ kind: 'text_chunk', text }];
  }
  if (type === 'thinking' || type === 'reasoning') return thinkingPieces(part);
  return [{ kind: 'extra', key: 'content', value: [part] }];
}

function thinkingPieces(part: Json): Piece[] {
  const signature = stringAt(part, 'signature');
  const thinking = part['thinking'] ?? part['text'];
  if (typeof thinking === 'string') return [{ kind: 'thinking_chunk', text: thinking, signature }];
  const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [];
  const pieces = inner.filter(isPlainObject).map((entry): Piece => {
    const text = stringAt(entry, 'text');
    return text === null
      ? { kind: 'extra', key: 'content', value: [entry] }
      : { kind: 'thinking_chunk', text, signature: null };
  });
  if (signature !== null) pieces.push({ kind: 'thinking_chunk', text: '', signature });
  return pieces;
}

function addCalls(delta: Json, pieces: Piece[]): void {
  for (const call of objectsAt(delta, 'tool_calls')) {
    const isCustom = call['function'] === undefined && stringAt(call, 'type') === 'custom';
    pieces.push(isCustom ? { kind: 'extra', key: 'tool_calls', value: [call] } : { kind: 'call', delta: call });
  }
}

function addExtras(delta: Json, pieces: Piece[]): void {
  for (const key in delta) {
    if (NOT_CONTENT.has(key) || !Object.hasOwn(delta, key)) continue;
    const value = delta[key];
    if (!isEmpty(value)) pieces.push({ kind: 'extra', key, value });
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
}
