import { useEffect } from 'react';
import { useT } from '../i18n/index.ts';

/**
 * Names the page in tabs, bookmarks and the history, the most specific part first. Without parts it is the program's
 * own title.
 */
export function useTitle(...parts: readonly string[]): void {
  const t = useT();
  const title = [...parts, t('app.name')].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
