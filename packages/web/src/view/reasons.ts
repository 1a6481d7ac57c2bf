import type { MessageKey, Translator } from '../i18n/index.ts';
import { en } from '../i18n/en.ts';

/** Why something is sent the way it is, in words; a reason missing from the catalogue is shown as its code. */
export function reasonText(reason: string, t: Translator): string {
  const key = `reason.${reason}`;
  return isKey(key) ? t(key) : reason;
}

export function statusText(status: string, t: Translator): string {
  const key = `status.${status}`;
  return isKey(key) ? t(key) : status;
}

function isKey(key: string): key is MessageKey {
  return Object.hasOwn(en, key);
}
