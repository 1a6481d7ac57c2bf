import { diffLines } from '@bough/core';
import { useMemo } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { DiffLines } from '../../parts/diff-lines.tsx';
import { pretty } from '../../view/diff.ts';
import { formatNumber } from '../../view/format.ts';

/** What the next request has that the previous one did not, line by line. */
export function Difference({ before, after }: { readonly before: string | null; readonly after: string }) {
  const t = useT();
  const diff = useMemo(() => (before === null ? null : diffLines(pretty(before), pretty(after))), [before, after]);
  if (diff === null) return <p className="faint">{t('context.diff.first')}</p>;
  const count = (value: number): string => formatNumber(value, t.locale);
  return (
    <>
      <p className="faint">
        {diff.removed === 0 ? `${t('context.diff.none')} · ` : ''}
        {t('context.diff.size', { added: count(diff.added), removed: count(diff.removed) })}
      </p>
      <DiffLines lines={diff.lines} />
    </>
  );
}
