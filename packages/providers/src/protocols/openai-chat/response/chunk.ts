import { isPlainObject } from '@bough/core';
import { DeltaTemplate } from '../../../framing/delta-template.ts';
import type { Json } from './json.ts';
import { numberAt, objectAt, objectsAt, parseObject, stringAt } from './json.ts';
import type { Piece } from './pieces.ts';
import { piecesOfDelta, piecesOfMessage } from './pieces.ts';

/** One event of the stream, or a whole body, parsed once for all its users. */
export type Chunk =
  | { readonly type: 'done' }
  | { readonly type: 'unreadable' }
  | {
      readonly type: 'chunk';
      readonly id: string;
      readonly model: string;
      readonly pieces: readonly Piece[];
      readonly finish: string | null;
      readonly error: Json | null;
      readonly json: Json;
      readonly choice: Json | null;
    };

/** Reads the events of one reply. An event that continues the previous one, written in the same way, is not parsed. */
export class ChunkReader {
  readonly #template = new DeltaTemplate();
  /** Whether anything has been said yet. */
  #hasSpoken = false;
  #learned: { readonly chunk: Extract<Chunk, { type: 'chunk' }>; readonly kind: 'content' | 'reasoning' } | null = null;

  read(data: string): Chunk {
    const text = this.#template.match(data);
    if (text !== null && this.#learned !== null) {
      const { chunk, kind } = this.#learned;
      return { ...chunk, pieces: [{ kind, text }] };
    }
    const chunk = parseChunk(data, this.#hasSpoken);
    if (chunk.type === 'chunk') {
      this.#hasSpoken ||= chunk.pieces.length > 0;
      this.#learn(data, chunk);
    }
    return chunk;
  }

  #learn(data: string, chunk: Extract<Chunk, { type: 'chunk' }>): void {
    const [piece, ...others] = chunk.pieces;
    if (others.length > 0 || (piece?.kind !== 'content' && piece?.kind !== 'reasoning')) return;
    if (this.#template.learn(data, piece.text)) this.#learned = { chunk, kind: piece.kind };
  }
}

/** Lists that some servers repeat, whole, next to the choices. */
const BESIDE_CHOICES = ['citations', 'search_results'] as const;

function parseChunk(data: string, hasSpoken: boolean): Chunk {
  const text = data.startsWith('{') ? data : data.trim();
  if (text === '[DONE]') return { type: 'done' };
  const json = parseObject(text);
  if (json === null) return { type: 'unreadable' };
  const choices = objectsAt(json, 'choices');
  const choice = choices.find((entry) => (numberAt(entry, 'index') ?? 0) === 0) ?? null;
  const pieces: Piece[] = choice === null ? [] : piecesOfChoice(choice, hasSpoken);
  for (const entry of choices) if (entry !== choice) pieces.push({ kind: 'extra', key: 'choices', value: [entry] });
  addBesideChoices(json, pieces);
  return {
    type: 'chunk',
    id: stringAt(json, 'id') ?? '',
    model: stringAt(json, 'model') ?? '',
    pieces,
    finish: choice && stringAt(choice, 'finish_reason'),
    error: readError(json) ?? (choice && objectAt(choice, 'error')),
    json,
    choice,
  };
}

/** Perplexity sends both: in a stream the message repeats what the deltas said; otherwise it is all there is. */
function piecesOfChoice(choice: Json, hasSpoken: boolean): Piece[] {
  const delta = objectAt(choice, 'delta');
  const message = objectAt(choice, 'message');
  const pieces = delta ? piecesOfDelta(delta) : [];
  const isAllThereIs = message !== null && pieces.length === 0 && (delta === null || !hasSpoken);
  return isAllThereIs ? piecesOfMessage(message) : pieces;
}

function addBesideChoices(json: Json, pieces: Piece[]): void {
  for (const key of BESIDE_CHOICES) {
    const value = json[key];
    if (Array.isArray(value) && value.length > 0) pieces.push({ kind: 'extra', key, value, whole: true });
  }
}

function readError(json: Json): Json | null {
  const error = json['error'];
  if (isPlainObject(error)) return error;
  if (typeof error === 'string' && error !== '') return { message: error };
  // Mistral and vLLM put the error itself at the top level.
  return stringAt(json, 'object') === 'error' ? json : null;
}
