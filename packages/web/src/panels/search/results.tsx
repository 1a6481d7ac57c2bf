import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/later/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { searchQuery } from '../../session/search.ts';
import type { SearchHit } from '../../view/search-groups.ts';
import { hitKey, searchGroups } from '../../view/search-groups.ts';
import { withoutIds } from '../../view/error-text.ts';
import { HitText } from './hit.tsx';
import { addressOf, useOpenHit } from './open-hit.tsx';
import './search.css';

interface SearchResultsProps {
  readonly typed: string;
  /** What the lists above show already. */
  readonly isListed: (hit: SearchHit) => boolean;
  /** Whether they show anything at all. */
  readonly isAlone: boolean;
}

/** What was found, by project: each hit leads to its place. The arrow keys of the box above move through it. */
export function SearchResults({ typed, isListed, isAlone }: SearchResultsProps) {
  const t = useT();
  const settled = useSettled(typed, 150);
  const found = useInfiniteQuery(searchQuery(settled));
  const { open, dialog } = useOpenHit();
  if (typed.trim() === '') return null;
  const isOld = settled !== typed;
  if (settled.trim() === '') return <p hidden aria-busy="true" />;
  const pages = found.data?.pages ?? [];
  const groups = searchGroups(pages)
    .map((group) => ({ ...group, hits: group.hits.filter((hit) => !isListed(hit)) }))
    .filter(({ hits }) => hits.length > 0);
  const isNothing = found.data !== undefined && groups.length === 0 && !found.hasNextPage;
  return (
    <section className="search-results" aria-label={t('search.results')} aria-busy={isOld || found.isFetching}>
      <div role="status" className="search-status">
        {found.error === null ? null : <p className="search-refused">{withoutIds(found.error.message)}</p>}
        {found.isPending && found.isFetching ? <p className="faint">{t('search.searching')}</p> : null}
        {isNothing && found.error === null ? (
          <>
            <p className="faint">{t(isAlone ? 'search.none' : 'search.noneElse')}</p>
            <p className="faint search-help">{t('search.help')}</p>
          </>
        ) : null}
        {pages.some(({ indexing }) => indexing) ? <p className="faint">{t('search.indexing')}</p> : null}
      </div>
      {found.error === null
        ? groups.map((group) => (
            <div key={group.projectId} className="search-group">
              <h3>
                {group.projectName}
                {group.archived ? <span className="faint"> · {t('projects.archived')}</span> : null}
              </h3>
              <ul aria-label={group.projectName}>
                {group.hits.map((hit) => (
                  <li key={hitKey(hit)}>
                    <Hit hit={hit} onOpen={open} />
                  </li>
                ))}
              </ul>
            </div>
          ))
        : null}
      {found.hasNextPage && found.error === null ? (
        <button
          type="button"
          className="button quiet search-more"
          data-result=""
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {t(groups.length === 0 ? 'search.further' : 'search.more')}
        </button>
      ) : null}
      {dialog}
    </section>
  );
}

function Hit({ hit, onOpen }: { readonly hit: SearchHit; readonly onOpen: (hit: SearchHit) => void }) {
  const address = addressOf(hit);
  if (address === null)
    return (
      <button type="button" className="search-hit" data-result="" onClick={() => onOpen(hit)}>
        <HitText hit={hit} />
      </button>
    );
  return (
    <Link {...address} className="search-hit" data-result="">
      <HitText hit={hit} />
    </Link>
  );
}
