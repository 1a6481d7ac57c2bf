import { useContext } from 'react';
import type { MessageKey as FirstKey } from '../en.ts';
import { en } from '../en.ts';
import type { Translator as FirstTranslator } from '../index.ts';
import { createTranslator, TranslatorContext } from '../index.ts';
import { later } from './en.ts';

/**
 * The whole catalogue, for what is loaded lazily. More than half of all sentences belong to pages, panels and dialogs
 * that most visits never open; in the first load, everybody would pay for them. Whoever needs one of them imports
 * `useT` from here: with the one of the first load it does not compile.
 */
export type MessageKey = FirstKey | keyof typeof later;
export type Catalogue = Readonly<Record<MessageKey, string>>;
export type Translator = FirstTranslator<MessageKey>;

export const whole: Catalogue = { ...en, ...later };

const english = createTranslator('en', whole);

/** `t('key', { name })`: the sentence in the reader's language. */
export function useT(): Translator {
  const t = useContext(TranslatorContext);
  // Any other language has both parts in one catalogue.
  return t.language === 'en' ? english : (t as Translator);
}
