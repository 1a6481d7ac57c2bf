import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import type { Translator } from '../i18n/index.ts';
import { loadTranslator, TranslatorContext } from '../i18n/index.ts';
import { usePreferences } from '../session/preferences.ts';

/** Applies the reader's language and theme to the page. */
export function Language({ children }: { readonly children: ReactNode }) {
  const { language, theme } = usePreferences();
  const [translator, setTranslator] = useState<Translator | null>(null);
  useEffect(() => {
    let wanted = true;
    const load = async (): Promise<void> => {
      try {
        const loaded = await loadTranslator(language);
        if (wanted) setTranslator(() => loaded);
      } catch (error) {
        console.error('The language could not be loaded.', error);
      }
    };
    void load();
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    return () => {
      wanted = false;
    };
  }, [language]);
  useEffect(() => {
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    const apply = (): void => {
      document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
  return translator === null ? null : <TranslatorContext value={translator}>{children}</TranslatorContext>;
}
