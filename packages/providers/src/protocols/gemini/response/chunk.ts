import { isPlainObject } from '@bough/core';
import type { WireError } from '../errors.ts';
import { readWireError } from '../errors.ts';

type Json = Readonly<Record<string, unknown>>;

/** One piece of a streamed reply, or the whole of one that was not streamed. */
export interface Chunk {
  readonly responseId?: string;
  readonly modelVersion?: string;
  readonly parts: readonly Json[];
  /** What stands beside the content: sources, citations. Kept whole. */
  readonly extras: readonly { readonly name: string; readonly value: unknown }[];
  readonly finishReason?: string;
  readonly blockReason?: string;
  readonly usage?: Json;
  readonly error?: WireError;
}

/** Candidate fields that are content in their own right. */
const EXTRAS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata'];

/**
 * Reads the data of one event: a chunk, or the array of all of them that `streamGenerateContent` sends without `alt=sse`.
 * Null where it is no JSON.
 */
export function readChunks(data: string): readonly Chunk[] | null {
  if (data.trim() === '' || data.trim() === '[DONE]') return [];
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.every(isPlainObject) ? values.map(readChunk) : null;
}

function readChunk(value: Json): Chunk {
  const error = readWireError(value);
  if (error !== undefined) return { parts: [], extras: [], error };
  const candidates = Array.isArray(value['candidates']) ? value['candidates'].filter(isPlainObject) : [];
  const [first = {}] = candidates.filter((candidate) => (candidate['index'] ?? 0) === 0);
  const content = isPlainObject(first['content']) ? first['content'] : {};
  const feedback = isPlainObject(value['promptFeedback']) ? value['promptFeedback'] : {};
  return {
    parts: Array.isArray(content['parts']) ? content['parts'].filter(isPlainObject) : [],
    extras: [
      ...EXTRAS.flatMap((name) => (isPlainObject(first[name]) ? [{ name, value: first[name] }] : [])),
      ...candidates.filter((candidate) => candidate !== first).map((other) => ({ name: 'candidate', value: other })),
    ],
    ...stringField('responseId', value['responseId']),
    ...stringField('modelVersion', value['modelVersion']),
    ...stringField('finishReason', first['finishReason']),
    ...stringField('blockReason', feedback['blockReason']),
    ...(isPlainObject(value['usageMetadata']) && { usage: value['usageMetadata'] }),
  };
}

function stringField<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  const fields: { [Key in Name]?: string } = {};
  if (typeof value === 'string' && value !== '') fields[name] = value;
  return fields;
}
