import type { NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { ChevronLeftIcon, StopIcon } from '../parts/icons.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { useVisit } from '../session/news.ts';
import { projectQuery } from '../session/queries.ts';
import { attempt } from '../session/refusals.ts';
import { stopReplies } from '../session/stop.ts';
import { siblingsQuery } from '../session/versions.ts';
import { repliesUnderWay } from '../view/versions.ts';
import { Refusal } from '../panels/conversation/refusal.tsx';
import { RunningVersion, StoredVersion } from './versions/column.tsx';
import { comparable, inBlindOrder, JudgeBar, markingOf, useJudging } from './versions/judge.tsx';
import './versions/versions.css';

/** As many as fit beside each other at first; the reader adds the others. */
const AT_FIRST = 3;

/** Versions of one message side by side: replies that were made again, messages that were edited. */
export function VersionsPage() {
  const t = useT();
  const { projectId = '', branch: name = '', nodeId = '' } = useParams({ strict: false });
  const siblings = useQuery(siblingsQuery(projectId, nodeId));
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  const read = siblings.data ?? [];
  const place = read[0]?.role === 'assistant' ? read[0].parentId : null;
  const coming = repliesUnderWay(place, branches).flatMap((version) => (version.kind === 'running' ? [version] : []));
  // What grew before the reader's eyes stays: on its way while it is being stored, and then as what it became.
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  if (coming.some(({ turnId }) => !seen.has(turnId)))
    setSeen(new Map([...seen, ...coming.map(({ turnId, branch: on }) => [turnId, on] as const)]));
  const watched = new Set(seen.values());
  useVisit(branches.filter((each) => watched.has(each.name)).map(({ id }) => id));
  const kept = new Set(read.map(({ turnId }) => turnId));
  const underWay = [...seen].flatMap(([turnId, on]) =>
    kept.has(turnId) || gone.has(turnId) ? [] : [{ turnId, branch: on }],
  );
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [byWordChosen, setByWord] = useState<boolean | null>(null);
  // A message that was edited changed in a few words; a reply that was made again usually in all of them.
  const byWord = byWordChosen ?? read[0]?.role === 'user';
  const first = firstShown(read, nodeId);
  const isShown = (key: string): boolean => chosen.get(key) ?? (first.has(key) || seen.has(key));
  const judging = useJudging(
    projectId,
    read.filter((node) => isShown(keyOf(node))),
  );
  const stored = judging.isBlind ? inBlindOrder(read) : read;
  const keys = [...stored.map(keyOf), ...underWay.map(({ turnId }) => turnId)];
  const shown = keys.filter(isShown);
  const canJudge = comparable(stored.filter((node) => shown.includes(keyOf(node)))).length > 1;
  const reference = stored.find((node) => shown.includes(keyOf(node))) ?? null;
  const branch = branches.find((each) => each.name === name) ?? null;
  const numberOf = (key: string): number => keys.indexOf(key) + 1;
  const actions = (
    <label className="check-line versions-words">
      <input type="checkbox" checked={byWord} onChange={(event) => setByWord(event.target.checked)} />{' '}
      {t('versions.words')}
    </label>
  );
  return (
    <Page title={t('versions.title')} {...(judging.isBlind ? {} : { about: name })} actions={actions}>
      {siblings.isError ? <Problem message={siblings.error.message} /> : null}
      {siblings.isPending ? <Loading failures={siblings.failureCount} /> : null}
      <div className="versions-bar">
        <Link
          className="button small quiet"
          to="/p/$projectId/b/$branch"
          params={{ projectId, branch: name }}
          search={{ node: nodeId }}
        >
          <ChevronLeftIcon />
          {t('versions.back')}
        </Link>
        <div className="versions-choice" role="group" aria-label={t('versions.choose')}>
          {keys.map((key) => {
            const isOn = shown.includes(key);
            return (
              <button
                key={key}
                type="button"
                className="button small"
                aria-pressed={isOn}
                aria-label={t('versions.one', { index: numberOf(key) })}
                // One version alone is no comparison, and none would be an empty page.
                disabled={isOn && shown.length < 2}
                onClick={() => setChosen(new Map(chosen).set(key, !isOn))}
              >
                {numberOf(key)}
              </button>
            );
          })}
        </div>
        {coming.length === 0 || place === null ? null : (
          <button
            type="button"
            className="button small"
            onClick={() => void attempt(() => stopReplies(projectId, { answering: place }))}
          >
            <StopIcon />
            {t('versions.stop')}
          </button>
        )}
      </div>
      {canJudge ? <JudgeBar judging={judging} /> : null}
      <div className="versions" style={{ gridTemplateColumns: `repeat(${shown.length}, minmax(19rem, 1fr))` }}>
        {stored
          .filter((node) => shown.includes(keyOf(node)))
          .map((node) => (
            <StoredVersion
              key={node.id}
              projectId={projectId}
              branch={branch}
              node={node}
              number={numberOf(keyOf(node))}
              reference={byWord && reference !== null && reference.id !== node.id ? reference : null}
              isReference={byWord && reference?.id === node.id}
              referenceNumber={reference === null ? 0 : numberOf(keyOf(reference))}
              isBlind={judging.isBlind}
              verdict={judging.verdictOf(node)}
              onBetter={canJudge && node.role === 'assistant' && !node.isError ? () => judging.choose(node) : null}
              marking={canJudge && node.role === 'assistant' && !node.isError ? markingOf(judging, node) : null}
            />
          ))}
        {underWay
          .filter(({ turnId }) => shown.includes(turnId))
          .map(({ turnId, branch: on }) => (
            <RunningVersion
              key={turnId}
              projectId={projectId}
              turnId={turnId}
              branch={on}
              isBlind={judging.isBlind}
              number={numberOf(turnId)}
              onGone={() => setGone((before) => new Set([...before, turnId]))}
            />
          ))}
      </div>
      <Refusal />
    </Page>
  );
}

/** Names a version before and after it is stored: a reply by its turn. */
function keyOf({ id, role, turnId }: NodeView): string {
  return role === 'assistant' ? (turnId ?? id) : id;
}

/** The one that the reader came from, and its neighbours. */
function firstShown(stored: readonly NodeView[], nodeId: string): ReadonlySet<string> {
  const at = Math.max(
    0,
    stored.findIndex(({ id }) => id === nodeId),
  );
  const start = Math.max(0, Math.min(at - 1, stored.length - AT_FIRST));
  return new Set(stored.slice(start, start + AT_FIRST).map(keyOf));
}
