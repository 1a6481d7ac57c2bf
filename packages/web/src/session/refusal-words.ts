import type { ApiError } from '@bough/api/client';
import { readPreferences } from './preferences.ts';

/** What an error says, in the reader's language: English is what the server says itself. */
export async function tell({ code, message }: Pick<ApiError, 'code' | 'message'>): Promise<string> {
  if (readPreferences().language === 'en') return message;
  // Loaded with the page's language; if that could not be loaded, an English sentence is better than none.
  const language = await import('../i18n/zh.ts').catch(() => null);
  return language?.zhRefusals[code]?.replace('{said}', () => message) ?? message;
}
