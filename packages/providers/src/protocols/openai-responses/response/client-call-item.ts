import type { StreamEvent } from '@bough/core';
import { pairingId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, stringOf, typeOf } from '../wire.ts';
import { wholeBlock } from './emit.ts';
import type { ItemFold } from './item-fold.ts';

/**
 * A call that the client runs and that is not a function's: a custom tool, a shell, a patch, a computer. The API
 * refuses the history until somebody answers it, so it is a call like any other.
 */
export class ClientCallItem implements ItemFold {
  readonly type: string;
  readonly #index: number;
  #begun: WireItem = {};
  #finished = false;

  constructor(type: string, index: number) {
    this.type = type;
    this.#index = index;
  }

  begin(item: WireItem): readonly StreamEvent[] {
    this.#begun = item;
    return [];
  }

  delta(): readonly StreamEvent[] {
    return [];
  }

  finish(item: WireItem): readonly StreamEvent[] {
    if (this.#finished) return [];
    this.#finished = true;
    const id = pairingId(item) ?? '';
    if (id === '' || item['status'] === 'incomplete' || item['status'] === 'in_progress') return [this.#block(item)];
    return [{ type: 'tool_call', index: this.#index, id, name: nameOf(item), parameters: parametersOf(item) }];
  }

  settle(last: WireItem | undefined): readonly StreamEvent[] {
    if (this.#finished) return [];
    if (last !== undefined) return this.finish(last);
    this.#finished = true;
    return [this.#block(this.#begun)];
  }

  /** Broken off: kept as it was announced, and never run. */
  #block(item: WireItem): StreamEvent {
    return { type: 'block', index: this.#index, block: wholeBlock(item) };
  }
}

/** `shell_call` is a call of the tool `shell`. */
function nameOf(item: WireItem): string {
  return stringOf(item['name']) ?? typeOf(item).replace(/_call$/, '');
}

function parametersOf(item: WireItem): Readonly<Record<string, unknown>> {
  const input = stringOf(item['input']);
  if (input !== undefined) return { input };
  const actions = item['actions'];
  return (
    objectOf(item['action']) ??
    objectOf(item['operation']) ??
    objectOf(item['arguments']) ??
    (Array.isArray(actions) ? { actions } : {})
  );
}
