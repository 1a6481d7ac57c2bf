import type { StreamEvent } from '@bough/core';
import { pairingId } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, stringOf, typeOf } from '../wire.ts';

/**
 * A call that the client runs and that is not a function's: a custom tool, a shell, a patch, a computer. The API
 * refuses the history until somebody answers it, so it is a call like any other. Null if it broke off: then it is never
 * run.
 */
export function clientCall(item: WireItem, index: number): StreamEvent | null {
  const id = pairingId(item) ?? '';
  if (id === '' || item['status'] === 'incomplete' || item['status'] === 'in_progress') return null;
  return { type: 'tool_call', index, id, name: nameOf(item), parameters: parametersOf(item) };
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
