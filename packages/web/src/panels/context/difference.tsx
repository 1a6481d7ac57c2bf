import { diffLines } from '@bough/core';
import { useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { beginningOf, pretty } from '../../view/diff.ts';
import { formatNumber } from '../../view/format.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

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
      <pre className="raw diff" tabIndex={0}>
        {beginningOf(diff.lines).map((line, index) =>
          line.kind === 'gap' ? (
            <span key={index} className="diff-gap">
              {t('context.diff.same', { count: count(line.count) })}
            </span>
          ) : (
            <span key={index} data-kind={line.kind}>
              <span className="diff-sign">{SIGNS[line.kind]}</span>
              {line.text}
            </span>
          ),
        )}
      </pre>
    </>
  );
}
