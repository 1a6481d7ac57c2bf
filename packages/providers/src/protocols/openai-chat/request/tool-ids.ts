import { sha256 } from '@bough/core';
import type { Quirks } from '../traits.ts';

const FORMS: Readonly<Record<Quirks['toolIds'], RegExp>> = {
  any: /^[\s\S]*$/,
  max40: /^[\s\S]{1,40}$/,
  word64: /^[\w-]{1,64}$/,
  alnum9: /^[A-Za-z0-9]{9}$/,
};

/** What an id from another provider must look like. Narrower than `any`: a gateway passes it on to strict servers. */
const FOREIGN: Readonly<Record<Quirks['toolIds'], RegExp>> = {
  ...FORMS,
  any: /^[\w-]{1,40}$/,
  max40: /^[\w-]{1,40}$/,
};

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function acceptsToolId(id: string, form: Quirks['toolIds']): boolean {
  return FORMS[form].test(id);
}

/**
 * The id that the target takes: unchanged if it fits, otherwise derived from it alone, so that call and result agree
 * without knowing about each other.
 */
export function foreignToolId(id: string, form: Quirks['toolIds']): string {
  if (FOREIGN[form].test(id)) return id;
  const digest = sha256(id);
  return form === 'alnum9' ? letters(digest, 9) : `call_${digest.slice(0, 24)}`;
}

function letters(hex: string, length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1) {
    text += ALPHABET.charAt(Number.parseInt(hex.slice(index * 6, index * 6 + 6), 16) % ALPHABET.length);
  }
  return text;
}
