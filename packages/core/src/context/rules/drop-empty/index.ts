import { normalizeOneForComparison } from '../../../equality/index.ts';
import type { ContextRule } from '../../assembly.ts';
import { drop, KEEP, mapDrafts } from '../../assembly.ts';

/**
 * Every provider rejects a user or assistant message without content. A raw reply stays: an empty text may carry a
 * signature, and only its protocol can tell. A tool result stays too, because its call needs an answer, even an empty
 * one.
 */
export const dropEmpty: ContextRule = {
  name: 'drop-empty',
  apply: (assembly) =>
    mapDrafts(assembly, ({ item }) =>
      item.source === 'raw' || item.message.role === 'tool' || normalizeOneForComparison(item.message) !== null
        ? KEEP
        : drop('empty'),
    ),
};
