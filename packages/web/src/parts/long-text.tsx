import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { formatNumber } from '../view/format.ts';

interface LongTextProps {
  readonly text: string;
  readonly tag: 'p' | 'pre';
  readonly className?: string;
}

/** A browser lays out this many characters without a noticeable pause; five million take it seconds. */
const SHOWN = 200_000;
const GROWTH = 4;

/** A text of any length, unformatted: its beginning, and more of it on request. */
export function LongText({ text, tag: Tag, className }: LongTextProps) {
  const t = useT();
  const [limit, setLimit] = useState(SHOWN);
  const rest = text.length - limit;
  return (
    <>
      <Tag className={className} dir="auto" tabIndex={Tag === 'pre' ? 0 : undefined}>
        {rest > 0 ? text.slice(0, limit) : text}
      </Tag>
      {rest > 0 ? (
        <p className="text-rest">
          {t('text.rest', { count: formatNumber(rest, t.locale) })}
          <button type="button" className="link-button" onClick={() => setLimit(limit * GROWTH)}>
            {t('text.more')}
          </button>
        </p>
      ) : null}
    </>
  );
}
