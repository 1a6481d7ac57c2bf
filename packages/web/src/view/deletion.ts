import type { DeletionView } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';
import { formatNumber } from './format.ts';

/** “1 message”, “8 messages”. */
export function messageCount(messages: number, t: Translator): string {
  return messages === 1 ? t('messages.one') : t('messages.many', { count: formatNumber(messages, t.locale) });
}

/** What a button does that deletes messages: “Delete 8 messages on 4 branches”. */
export function deletionTitle({ messages, branches }: DeletionView, t: Translator): string {
  const count = messageCount(messages, t);
  if (branches.length < 2) return t('delete.messages', { messages: count });
  return t('delete.messages.branches', { messages: count, branches: formatNumber(branches.length, t.locale) });
}
