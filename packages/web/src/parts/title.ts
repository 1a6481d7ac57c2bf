import { useEffect } from 'react';
import { useT } from '../i18n/index.ts';
import { useNews } from '../session/news.ts';

/**
 * Names the page in tabs, bookmarks and the history, the most specific part first. Without parts it is the program's
 * own title. What happened elsewhere is counted before it, where a tab is still readable when it is narrow.
 */
export function useTitle(...parts: readonly string[]): void {
  const t = useT();
  const waiting = useNews().size;
  const name = [...parts, t('app.name')].join(' · ');
  const title = waiting === 0 ? name : `(${waiting}) ${name}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
