import { useT } from '../../i18n/index.ts';
import type { NewsKind } from '../../view/news.ts';

/** That something happened here since somebody looked. */
export function NewsMark({ kind }: { readonly kind: NewsKind | null }) {
  const t = useT();
  if (kind === null) return null;
  return (
    <span className="news-mark" data-kind={kind} role="img" aria-label={t(`news.${kind}`)} title={t(`news.${kind}`)} />
  );
}
