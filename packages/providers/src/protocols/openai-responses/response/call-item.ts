import type { StreamEvent } from '@bough/core';
import type { WireItem } from '../wire.ts';
import { objectOf, stringOf } from '../wire.ts';
import { parseJson } from '../../../render/json-text.ts';
import { missing } from './emit.ts';
import type { ItemFold, Part } from './item-fold.ts';

/** A function call. It is whole only if the item is, and if its arguments are a JSON object. */
export class CallItem implements ItemFold {
  readonly type = 'function_call';
  readonly #index: number;
  #call: { readonly id: string; readonly name: string } | null = null;
  #json = '';
  #finished = false;

  constructor(index: number) {
    this.#index = index;
  }

  begin(item: WireItem): readonly StreamEvent[] {
    const id = stringOf(item['call_id']) ?? '';
    const name = stringOf(item['name']) ?? '';
    if (this.#call !== null || id === '' || name === '') return [];
    this.#call = { id, name };
    return [{ type: 'tool_call_start', index: this.#index, id, name }];
  }

  delta(part: Part, json: string): readonly StreamEvent[] {
    if (part.of !== 'arguments' || json === '') return [];
    this.#json += json;
    return [{ type: 'tool_call_delta', index: this.#index, json }];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    const json = stringOf(item['arguments']) ?? '';
    const events = [...this.begin(item), ...this.delta({ of: 'arguments', index: 0 }, missing(this.#json, json))];
    const parameters = parseArguments(json);
    if (this.#call === null || parameters === undefined || item['status'] === 'incomplete') return events;
    return [...events, { type: 'tool_call', index: this.#index, ...this.#call, parameters }];
  }

  settle(): readonly StreamEvent[] {
    return [];
  }
}

/** Undefined for anything but a JSON object. A call without parameters may come with no text at all. */
export function parseArguments(json: string): Readonly<Record<string, unknown>> | undefined {
  return json.trim() === '' ? {} : objectOf(parseJson(json));
}
