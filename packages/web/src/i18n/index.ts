import { createContext, useContext } from 'react';
import type { MessageKey } from './en.ts';
import { en } from './en.ts';

export type Language = 'en' | 'zh';
export type { MessageKey } from './en.ts';

/** Takes the keys of the first load; `later/` has the one that takes all. */
export interface Translator<Key extends string = MessageKey> {
  readonly language: Language;
  readonly locale: string;
  (key: Key, values?: Readonly<Record<string, string | number>>): string;
}

export function createTranslator<Key extends string>(
  language: Language,
  catalogue: Readonly<Record<Key, string>>,
): Translator<Key> {
  const translate = (key: Key, values: Readonly<Record<string, string | number>> = {}): string =>
    catalogue[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  return Object.assign(translate, { language, locale: localeOf(language) });
}

/**
 * The reader's own variety of the page's language, if the browser names one: in Britain a day has 24 hours, in America
 * twice 12.
 */
export function localeOf(
  language: Language,
  wanted: readonly string[] = globalThis.navigator?.languages ?? [],
): string {
  const tags = wanted.flatMap((each) => languageTag(each));
  return tags.find((tag) => tag.split('-')[0] === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
}

/**
 * A browser that was started without a language calls its own `en-US@posix`, which is the name of a locale but not a
 * language tag: every format of a number or a time would throw, and take the page with it.
 */
function languageTag(name: string): readonly string[] {
  const [tag = ''] = name.split(/[@.]/);
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

export const TranslatorContext = createContext<Translator>(createTranslator('en', en));

/** `t('key', { name })`: the sentence in the reader's language. */
export const useT = (): Translator => useContext(TranslatorContext);

/** English is part of the page; any other language is loaded, whole, when it is chosen. */
export async function loadTranslator(language: Language): Promise<Translator> {
  if (language === 'en') return createTranslator('en', en);
  const { zh } = await import('./zh.ts');
  return createTranslator('zh', zh);
}
