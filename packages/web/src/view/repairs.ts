import type { MessageKey, Translator } from '../i18n/later/index.ts';

const KINDS: readonly (readonly [RegExp, MessageKey])[] = [
  [/^restored$/, 'repair.restored'],
  [/^foreign$/, 'repair.foreign'],
  [/^plainest$/, 'repair.plainest'],
  [/-PAIR-/, 'repair.pair'],
  [/-(?:THINK|REASON|DETAIL|SIG)-/, 'repair.reasoning'],
  [/-TEXT-/, 'repair.text'],
];

/** What a repair did, in words; the rule itself is named beside it. */
export function repairText(rule: string, t: Translator): string {
  return t(KINDS.find(([pattern]) => pattern.test(rule))?.[1] ?? 'repair.other');
}
