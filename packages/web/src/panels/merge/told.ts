import type { Translator } from '../../i18n/later/index.ts';
import type { MergeWay } from '../../view/merge.ts';
import { NAMED } from '../../view/merge.ts';

/** What was brought, as Markdown: of several messages, who said each stands above it, in the reader's language. */
export function toldIn(by: MergeWay, text: string, t: Translator): string {
  if (by !== 'messages') return text;
  return text.replaceAll(NAMED, (_, role) => `**${t(role === 'User' ? 'role.user' : 'role.assistant')}**\n\n`);
}
