import { useT } from '../../i18n/later/index.ts';
import { useMinute } from '../../session/now.ts';
import { ageText } from '../../view/age-text.ts';
import type { SearchHit } from '../../view/search-groups.ts';

/** What a hit says: who, where and when, and the words around it. The words are data; what matched is marked here. */
export function HitText({ hit }: { readonly hit: SearchHit }) {
  const t = useT();
  const now = useMinute();
  const who =
    hit.kind === 'node'
      ? ((hit.role === 'assistant' ? hit.model : null) ?? t(`search.role.${hit.role ?? 'user'}`))
      : '';
  const when = ageText(hit.createdAt, now, t) ?? '';
  const where =
    hit.kind === 'project' ? t('search.project') : hit.kind === 'branch' ? t('search.branch') : branchOf(hit, t);
  return (
    <>
      <span className="hit-about">{[who, where, when].filter((part) => part !== '').join(' · ')}</span>
      {hit.matches.map((match, index) => (
        <span className="hit-text" key={index}>
          {match.where === 'reasoning' || match.where === 'tool' || match.where === 'file' || match.where === 'note' ? (
            <span className="hit-where">{match.file ?? t(`search.in.${match.where}`)}</span>
          ) : null}
          {match.snippet.map((part, at) =>
            part.hit ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>,
          )}
        </span>
      ))}
    </>
  );
}

function branchOf({ branchName, hidden }: SearchHit, t: ReturnType<typeof useT>): string {
  if (branchName === null) return t('search.noBranch');
  return hidden ? t('search.hiddenBranch', { name: branchName }) : branchName;
}
