import type { Translator } from '../i18n/index.ts';
import { formatAgo } from './format.ts';

/** How long ago something was; null for what another program wrote without a time. */
export function ageText(iso: string, now: number, t: Translator): string | null {
  if (Date.parse(iso) <= 0) return null;
  return formatAgo(iso, now, t.locale) ?? t('time.now');
}
