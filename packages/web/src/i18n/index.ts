import { createContext, useContext } from 'react';
import type { Catalogue, MessageKey } from './en.ts';
import { en } from './en.ts';

export type Language = 'en' | 'zh';
export type { MessageKey } from './en.ts';

export interface Translator {
  readonly language: Language;
  readonly locale: string;
  (key: MessageKey, values?: Readonly<Record<string, string | number>>): string;
}

export function createTranslator(language: Language, catalogue: Catalogue): Translator {
  const translate = (key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string =>
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
  return wanted.find((each) => each.split('-')[0] === language) ?? (language === 'zh' ? 'zh-CN' : 'en');
}

export const TranslatorContext = createContext<Translator>(createTranslator('en', en));

/** `t('key', { name })`: the sentence in the reader's language. */
export const useT = (): Translator => useContext(TranslatorContext);

/** English is part of the page; any other language is loaded when it is chosen. */
export async function loadTranslator(language: Language): Promise<Translator> {
  if (language === 'en') return createTranslator('en', en);
  const { zh } = await import('./zh.ts');
  return createTranslator('zh', zh);
}
