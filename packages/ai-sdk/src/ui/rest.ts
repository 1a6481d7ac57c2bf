import type { ContentBlock } from '@bough/core';
import { isPlainObject, stableDeepEqual } from '@bough/core';
import type { Part } from './node.ts';
import { REST } from './node.ts';

/**
 * What a part has that its block cannot express: other values, and expected fields that are missing. Null if the block
 * expresses everything.
 */
export function restOf(expected: Part, part: Part, answered: boolean): ContentBlock | null {
  if (stableDeepEqual(expected, part)) return null;
  const set = Object.fromEntries(
    Object.entries(part).filter(([key, value]) => value !== undefined && !stableDeepEqual(value, expected[key])),
  );
  const unset = Object.keys(expected).filter((key) => part[key] === undefined);
  return { type: REST, set, unset, ...(answered && { answered }) };
}

export function isRest(block: ContentBlock): boolean {
  return block.type === REST && 'set' in block && isPlainObject(block['set']) && Array.isArray(block['unset']);
}

/** Fields that describe a result. */
const OF_RESULT: ReadonlySet<string> = new Set([
  'state',
  'output',
  'errorText',
  'resultProviderMetadata',
  'preliminary',
  'approval',
]);

/**
 * `answered`: whether the call has its result. If the result was left out since, what belonged to it is left out too.
 */
export function withRest(part: Part, rest: ContentBlock | null, answered: boolean): Part {
  if (rest === null || !('set' in rest) || !isPlainObject(rest['set']) || !Array.isArray(rest['unset'])) return part;
  const unset: readonly unknown[] = rest['unset'];
  const isLost = rest['answered'] === true && !answered;
  const isKept = (key: string): boolean => !isLost || !OF_RESULT.has(key);
  const set = Object.entries(rest['set']).filter(([key]) => isKept(key));
  const kept = Object.entries(part).filter(([key]) => !unset.includes(key) || !isKept(key));
  const changed: Record<string, unknown> = Object.fromEntries([...kept, ...set]);
  return { ...changed, type: typeof changed['type'] === 'string' ? changed['type'] : part.type };
}
