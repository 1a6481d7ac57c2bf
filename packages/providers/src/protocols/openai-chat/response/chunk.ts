import { isPlainObject } from '@bough/core';
import type { Json } from './json.ts';
import { numberAt, objectAt, objectsAt, parseObject, stringAt } from './json.ts';
import type { Piece } from './pieces.ts';
import { piecesOfDelta, piecesOfMessage } from './pieces.ts';

/** One event of the stream, or a whole body, read once for everyone who needs it. */
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

/** Lists that some servers repeat, whole, beside the choices. */
const BESIDE_CHOICES = ['citations', 'search_results'] as const;

export function readChunk(data: string): Chunk {
  const text = data.startsWith('{') ? data : data.trim();
  if (text === '[DONE]') return { type: 'done' };
  const json = parseObject(text);
  if (json === null) return { type: 'unreadable' };
  const choices = objectsAt(json, 'choices');
  const choice = choices.find((entry) => (numberAt(entry, 'index') ?? 0) === 0) ?? null;
  const pieces: Piece[] = choice === null ? [] : piecesOfChoice(choice);
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

function piecesOfChoice(choice: Json): Piece[] {
  const delta = objectAt(choice, 'delta');
  if (delta) return piecesOfDelta(delta);
  const message = objectAt(choice, 'message');
  return message ? piecesOfMessage(message) : [];
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
  // Mistral and vLLM put the error itself at the top.
  return stringAt(json, 'object') === 'error' ? json : null;
}
