import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import type { Translator } from '../i18n/index.ts';
import { en } from '../i18n/en.ts';
import { createTranslator, loadTranslator, TranslatorContext } from '../i18n/index.ts';
import { usePreferences } from '../session/preferences.ts';

const english = createTranslator('en', en);

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
        // The server is away, or was updated since this page was opened: a page in English is better than none.
        if (wanted) setTranslator((before: Translator | null) => before ?? english);
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
      const page = document.documentElement;
      page.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
      // The bar of a phone's browser: it would keep to the system's theme.
      const paper = getComputedStyle(page).getPropertyValue('--paper');
      for (const bar of document.querySelectorAll('meta[name="theme-color"]')) bar.setAttribute('content', paper);
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
  return translator === null ? null : <TranslatorContext value={translator}>{children}</TranslatorContext>;
}
