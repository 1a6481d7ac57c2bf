import { isPlainObject } from '@bough/core';
import { saysNothing } from '../../../framing/idle-data.ts';
import type { WireError } from '../errors.ts';
import { readWireError } from '../errors.ts';

type Json = Readonly<Record<string, unknown>>;

/** One piece of a streamed reply, or the whole of one that was not streamed. */
export interface Chunk {
  readonly responseId?: string | undefined;
  readonly modelVersion?: string | undefined;
  readonly parts: readonly Json[];
  /** What accompanies the content: sources, citations. Kept whole. */
  readonly extras: readonly { readonly name: string; readonly value: unknown }[];
  readonly finishReason?: string | undefined;
  /** With it, a generation that one request could not finish goes on in another. */
  readonly continuationToken?: string | undefined;
  readonly blockReason?: string | undefined;
  readonly usage?: Json | undefined;
  readonly error?: WireError;
}

const NOTHING: Json = {};
/** Candidate fields that are content in their own right. */
const EXTRAS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata'];

/**
 * Reads the data of one event: a chunk, or the array of all chunks that `streamGenerateContent` sends without
 * `alt=sse`. Null if it is not JSON.
 */
export function readChunks(data: string): readonly Chunk[] | null {
  if (saysNothing(data)) return [];
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  if (isPlainObject(value)) return [readChunk(value)];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.every(isPlainObject) ? values.map(readChunk) : null;
}

function readChunk(value: Json): Chunk {
  const error = readWireError(value);
  if (error !== undefined) return { parts: [], extras: [], error };
  const candidates = objectsOf(value['candidates']);
  const first = candidates.find((candidate) => (candidate['index'] ?? 0) === 0) ?? NOTHING;
  const content = isPlainObject(first['content']) ? first['content'] : NOTHING;
  const feedback = isPlainObject(value['promptFeedback']) ? value['promptFeedback'] : NOTHING;
  return {
    responseId: textOf(value['responseId']),
    modelVersion: textOf(value['modelVersion']),
    parts: objectsOf(content['parts']),
    extras: extrasOf(first, candidates),
    finishReason: textOf(first['finishReason']),
    continuationToken: textOf(first['continuationToken']),
    blockReason: textOf(feedback['blockReason']),
    usage: isPlainObject(value['usageMetadata']) ? value['usageMetadata'] : undefined,
  };
}

function extrasOf(first: Json, candidates: readonly Json[]): Chunk['extras'] {
  const extras: Chunk['extras'][number][] = [];
  for (const name of EXTRAS) if (isPlainObject(first[name])) extras.push({ name, value: first[name] });
  for (const other of candidates) if (other !== first) extras.push({ name: 'candidate', value: other });
  return extras;
}

/** The objects of a list. A stream sends thousands of one-element lists: those are not copied. */
function objectsOf(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) return [];
  return value.every(isPlainObject) ? value : value.filter(isPlainObject);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
