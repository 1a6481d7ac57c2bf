import { createHash } from 'node:crypto';
import type { ObjectType } from '../process/object-reader.ts';

/** The id that git gives to an object of this content. */
export function objectId(type: ObjectType, parts: readonly Uint8Array[]): string {
  const hash = createHash('sha1').update(objectHeader(type, parts));
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

export function objectHeader(type: ObjectType, parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.from(`${type} ${length}\0`, 'latin1');
}
