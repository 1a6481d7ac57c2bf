import type { ExchangeView } from '@bough/api/client';
import type { DiffLine } from '@bough/core';
import { useT } from '../i18n/later/index.ts';
import { beginningOf } from '../view/diff.ts';
import { formatNumber } from '../view/format.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

type Line = DiffLine | NonNullable<ExchangeView['difference']>['lines'][number];

/** A difference, line by line. */
export function DiffLines({ lines }: { readonly lines: readonly Line[] }) {
  const t = useT();
  return (
    <pre className="raw diff" tabIndex={0}>
      {beginningOf(lines).map((line, index) =>
        line.kind === 'gap' ? (
          <span key={index} className="diff-gap">
            {t('context.diff.same', { count: formatNumber(line.count, t.locale) })}
          </span>
        ) : (
          <span key={index} data-kind={line.kind}>
            <span className="diff-sign">{SIGNS[line.kind]}</span>
            {line.text}
          </span>
        ),
      )}
    </pre>
  );
}
