import type { KeyboardEvent } from 'react';

/** The code of a key that belongs to a composition, whatever it is. */
const COMPOSING = 229;

/**
 * Whether a key is part of composing a character, as in Chinese, where Enter takes what was composed. In Safari the key
 * that ends a composition arrives after it, and only its code tells.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === COMPOSING;
}

/**
 * Whether a key sends what is written: Enter, but not with the keyboard of a phone, which has no Shift + Enter. There
 * no second line could be written, and the button that sends is within reach of the thumb.
 */
export function isSendKey(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return false;
  return event.ctrlKey || event.metaKey || !window.matchMedia('(hover: none) and (pointer: coarse)').matches;
}
