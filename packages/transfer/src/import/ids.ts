import { createHash } from 'node:crypto';

/**
 * An id derived from the source's own ids and nothing else: what is imported a second time is recognised. Shaped like a
 * UUID of version 8, the one for custom ids.
 */
export function idFrom(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const variant = '89ab'[Number.parseInt(hash[16] ?? '0', 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
