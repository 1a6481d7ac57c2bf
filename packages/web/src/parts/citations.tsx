import type { Source } from '@bough/core';
import { createContext, useContext } from 'react';
import { useT } from '../i18n/index.ts';

/** The sources of the reply around: a number is a place in it, counted from one. */
export const SourcesContext = createContext<readonly Source[]>([]);

/** The numbers behind a passage. Each opens its source. */
export function CiteMark({ numbers }: { readonly numbers: readonly number[] }) {
  const t = useT();
  const sources = useContext(SourcesContext);
  return (
    <sup className="cite">
      {numbers.map((number) => {
        const source = sources[number - 1];
        const title = source === undefined ? '' : sourceLabel(source);
        return source?.url == null ? (
          <span key={number} className="cite-number" title={title}>
            {number}
          </span>
        ) : (
          <OutsideLink key={number} url={source.url} title={title} label={t('citation.source', { number, title })}>
            {number}
          </OutsideLink>
        );
      })}
    </sup>
  );
}

interface OutsideLinkProps {
  readonly url: string;
  readonly title?: string;
  readonly label?: string;
  readonly children: string | number;
}

/** A page that a provider named: it opens beside this one, and is told nothing of it. */
export function OutsideLink({ url, title, label, children }: OutsideLinkProps) {
  return (
    <a
      href={url}
      title={title}
      aria-label={label}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
    >
      {children}
    </a>
  );
}

/** What a source is called: its title, or its address without the ornament. */
export function sourceLabel({ url, title }: Source): string {
  return title ?? (url ?? '').replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}

/** The host of an address, to be told apart by: titles are anybody's. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host.replace(/^www\./, '');
  } catch {
    return '';
  }
}
