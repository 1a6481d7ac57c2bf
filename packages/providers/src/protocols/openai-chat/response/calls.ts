import { isPlainObject, sha256 } from '@bough/core';
import type { Json } from './json.ts';
import { numberAt, objectAt, stringAt } from './json.ts';

/** A tool call as it grows. `arguments` is the server's own text: parsed for use, sent back unchanged. */
export interface AssembledCall {
  readonly position: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Google's signature and whatever else a gateway attaches to a call; sent back only to its issuer. */
  readonly extraContent: Json | null;
}

interface OpenCall {
  position: number;
  wireIndex: number | null;
  /** As sent, possibly empty. */
  wireId: string;
  id: string;
  name: string;
  arguments: string;
  extraContent: Json | null;
}

/** What one delta did to a call. */
export interface CallStep {
  readonly call: AssembledCall;
  readonly json: string;
}

/**
 * Assembles tool calls. Ids and names come once or on every delta, indexes are missing or all zero for parallel calls,
 * arguments are text or already an object: servers in use do all of these.
 */
export class CallAssembly {
  readonly #calls: OpenCall[] = [];
  readonly #ids = new Set<string>();
  #responseId = '';

  /** Ids made up for a server that sends none are derived from the response's own id, so that they do not repeat. */
  setResponseId(id: string): void {
    this.#responseId = id;
  }

  get calls(): readonly AssembledCall[] {
    return this.#calls;
  }

  push(delta: Json): CallStep {
    const call = this.#find(delta) ?? this.#open(delta);
    const fn = objectAt(delta, 'function') ?? delta;
    const json = argumentsText(fn['arguments']);
    call.name = stringAt(fn, 'name') || call.name;
    call.arguments += json;
    call.extraContent = objectAt(delta, 'extra_content') ?? call.extraContent;
    return { call, json };
  }

  /** True once nothing can be added: another call follows, the reply is complete, or the JSON is closed. */
  isWhole(call: AssembledCall, complete: boolean): boolean {
    if (call.name === '' || parseArguments(call.arguments) === null) return false;
    const last = call.position === this.#calls.length - 1;
    return complete || !last || call.arguments.trim() !== '';
  }

  #find(delta: Json): OpenCall | undefined {
    const index = numberAt(delta, 'index');
    const id = stringAt(delta, 'id') ?? '';
    if (id !== '') {
      const same = this.#calls.findLast(
        (call) => call.wireId === id && (index === null || call.wireIndex === null || call.wireIndex === index),
      );
      if (same) return same;
      const unnamed = index === null ? undefined : this.#calls.findLast((call) => call.wireIndex === index);
      return unnamed?.wireId === '' ? unnamed : undefined;
    }
    return index === null ? this.#calls.at(-1) : this.#calls.findLast((call) => call.wireIndex === index);
  }

  #open(delta: Json): OpenCall {
    const position = this.#calls.length;
    const wireId = stringAt(delta, 'id') ?? '';
    const id = wireId !== '' && !this.#ids.has(wireId) ? wireId : this.#makeId(position);
    this.#ids.add(id);
    const call: OpenCall = {
      position,
      wireIndex: numberAt(delta, 'index'),
      wireId,
      id,
      name: '',
      arguments: '',
      extraContent: null,
    };
    this.#calls.push(call);
    return call;
  }

  #makeId(position: number): string {
    return `call_${sha256(`${this.#responseId}#${position}`).slice(0, 24)}`;
  }
}

/** The arguments as an object; null if they are not one. A call without arguments may send nothing at all. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The signature that Google attaches to a call, as its OpenAI-compatible endpoint writes it. */
export function googleSignature(extraContent: Json | null): string | null {
  const google = extraContent?.['google'];
  if (typeof google !== 'object' || google === null || !('thought_signature' in google)) return null;
  return typeof google.thought_signature === 'string' ? google.thought_signature : null;
}
