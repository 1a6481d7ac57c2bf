import { isPlainObject } from '@bough/core';
import type { Fields } from '../../fields.ts';
import { textOrNull } from '../../fields.ts';

/** The records of a rollout in today's form, whichever version of the client wrote it. */
export function recordsIn(records: readonly Fields[]): readonly Fields[] {
  const [first] = records;
  if (first === undefined) return [];
  // The first versions wrote one value at the end, those after them lines with the bare items.
  const { session, items } = first;
  if (records.length === 1 && isPlainObject(session) && isMeta(session) && Array.isArray(items))
    return wrapped([session, ...items.filter(isPlainObject)]);
  return isMeta(first) && 'instructions' in first ? wrapped(records) : records;
}

const isMeta = ({ id, timestamp, type, payload }: Fields): boolean =>
  textOrNull(id) !== null && textOrNull(timestamp) !== null && type === undefined && payload === undefined;

/** `record_type` is what the client noted for itself. Only the first line has a time. */
function wrapped([meta = {}, ...items]: readonly Fields[]): readonly Fields[] {
  const { timestamp } = meta;
  return [
    { timestamp, type: 'session_meta', payload: meta },
    ...items
      .filter((item) => item['record_type'] === undefined)
      .map((payload) => ({ timestamp, type: 'response_item', payload })),
  ];
}
