import { isPlainObject } from '@bough/core';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A provider's key with the origin that it was given for; null if a version before 0.2 sealed it. */
export interface AddressedKey {
  readonly key: string;
  readonly origin: string | null;
}

/** Precedes a key that was sealed with its origin. Base64 has no colon, so nothing older begins like this. */
const WITH_ORIGIN = '2:';

/**
 * AES-256-GCM. The provider is authenticated and the origin is sealed with the key: editing the file can move a key
 * neither to another provider nor to another address.
 */
export function seal(secret: Buffer, provider: string, key: string, origin: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(WITH_ORIGIN + provider));
  const sealed = Buffer.concat([cipher.update(JSON.stringify({ key, origin }), 'utf8'), cipher.final()]);
  return WITH_ORIGIN + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Null for a key that was sealed with another key file, or is damaged. */
export function unseal(secret: Buffer, provider: string, sealed: string): AddressedKey | null {
  const text = sealed.startsWith(WITH_ORIGIN)
    ? decrypt(secret, WITH_ORIGIN + provider, sealed.slice(WITH_ORIGIN.length))
    : decrypt(secret, provider, sealed);
  if (text === null || !sealed.startsWith(WITH_ORIGIN)) return text === null ? null : { key: text, origin: null };
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) return null;
  const { key, origin } = value;
  return typeof key === 'string' && typeof origin === 'string' ? { key, origin } : null;
}

const NONCE = 12;
const TAG = 16;

function decrypt(secret: Buffer, authenticated: string, base64: string): string | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < NONCE + TAG) return null;
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE)).setAAD(Buffer.from(authenticated));
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  const opened = decipher.update(bytes.subarray(NONCE + TAG));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch (error) {
    // The only error of `final`: the tag does not match, because of another key file, another provider or damage.
    if (error instanceof Error) return null;
    throw error;
  }
}
