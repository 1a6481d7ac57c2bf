import type { StreamError } from '@bough/core';
import type { Deployment } from '../deployment.ts';
import { streamError } from '../errors/index.ts';

/** A key that no header can hold: fetch would refuse it, and quote it in its error. Null for one that can be sent. */
export function unusableKey(key: string | null, { label, keyEnv }: Deployment): StreamError | null {
  if (key === null || /^[\x21-\x7e]+$/.test(key)) return null;
  const message = `The key of ${label} holds a space or a character that no key has. Check ${keyEnv.join(' or ')}.`;
  return streamError('authentication', message, false);
}
