import type { ContentBlock } from '../blocks/index.ts';
import { isNonEmpty, isPlainObject, isTextBlock } from '../blocks/index.ts';
import { BoughError } from '../errors/index.ts';
import type { Message } from '../messages/index.ts';
import { MAX_NESTING } from '../nesting/index.ts';

/** A value that refers to itself, or is nested absurdly deep: an error instead of an exhausted stack. */
export class UnboundedValueError extends BoughError {
  constructor() {
    super('unbounded_value', `The value refers to itself or is nested deeper than ${MAX_NESTING} levels.`);
  }
}

/**
 * JSON equality: the order of keys does not matter, the order of arrays does, a key that is `undefined` is absent.
 * Strings are compared exactly, so a `tool-use` id or name that differs in a single character is a different call.
 */
export function stableDeepEqual(a: unknown, b: unknown): boolean {
  return equalAt(a, b, 0);
}

function equalAt(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth >= MAX_NESTING) throw new UnboundedValueError();
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, index) => equalAt(value, b[index], depth + 1))
    );
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalAt(a[key], b[key], depth + 1))
  );
}

function definedKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** JSON with sorted keys: two values have the same text exactly when `stableDeepEqual` holds. */
export function stableStringify(value: unknown): string {
  return stringifyAt(value, 0);
}

function stringifyAt(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth >= MAX_NESTING) throw new UnboundedValueError();
  if (Array.isArray(value)) return `[${value.map((item) => stringifyAt(item, depth + 1)).join(',')}]`;
  if (!isPlainObject(value)) return 'null';
  const pairs = definedKeys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stringifyAt(value[key], depth + 1)}`);
  return `{${pairs.join(',')}}`;
}

/** The list without its empty messages; `indexMap[i]` is the position of `messages[i]` in the input. */
export interface NormalizedList {
  readonly messages: readonly Message[];
  readonly indexMap: readonly number[];
}

/** The form in which messages are compared: texts trimmed, empty texts and messages without content removed. */
export function normalizeForComparison(messages: readonly Message[]): NormalizedList {
  const kept: Message[] = [];
  const indexMap: number[] = [];
  messages.forEach((message, index) => {
    const normalized = normalizeOneForComparison(message);
    if (normalized === null) return;
    kept.push(normalized);
    indexMap.push(index);
  });
  return { messages: kept, indexMap };
}

/** Null if nothing is left. A message of nothing but `tool-use` is not empty. */
export function normalizeOneForComparison(message: Message): Message | null {
  const blocks: ContentBlock[] = [];
  for (const block of message.content) {
    if (!isTextBlock(block)) {
      blocks.push(block);
      continue;
    }
    const text = block.text.trim();
    if (text !== '') blocks.push({ ...block, text });
  }
  if (!isNonEmpty(blocks)) return null;
  // Only texts were trimmed or dropped, so the blocks still fit the role.
  return { ...message, content: blocks } as Message;
}
