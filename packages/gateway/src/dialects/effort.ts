import type { ThinkingSetting } from '@bough/core';

/** A word for effort in any of the vendors' vocabularies; null if it is none. */
export function effortOf(value: unknown): Exclude<ThinkingSetting, object> | null {
  switch (typeof value === 'string' ? value.toLowerCase() : undefined) {
    case 'none':
    case 'off':
      return 'off';
    case 'minimal':
    case 'low':
      return 'low';
    case 'medium':
      return 'medium';
    case 'high':
    case 'xhigh':
    case 'max':
      return 'high';
    default:
      return null;
  }
}
