import type { BranchView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '../../i18n/index.ts';
import { ChevronLeftIcon, ChevronRightIcon, CompareIcon, StopIcon } from '../../parts/icons.tsx';
import { Explain, IconButton } from '../../parts/tooltip.tsx';
import { projectQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { stopReplies } from '../../session/stop.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { newestBelow, repliesQuery, siblingsQuery } from '../../session/versions.ts';
import { formatNumber } from '../../view/format.ts';
import type { VersionState } from '../../view/versions.ts';
import { repliesUnderWay, statesOf, versionsOf } from '../../view/versions.ts';

interface VersionsProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** The version that is shown; null while it is being made and nothing of it is stored. */
  readonly node: NodeView | null;
  /** The message that it answers; null for anything but a reply. */
  readonly answers: string | null;
}

/**
 * Messages to which replies were seen coming: how those ended is shown from then on. All other versions are known by
 * their number alone, so that a page full of them reads none.
 */
const watched = new Set<string>();

/**
 * ‹ 2/3 ›: the other versions of a message, and replies to it that are being made. Choosing a stored one moves the
 * branch to the newest leaf below it; one that is being made is shown on its own branch.
 */
export function Versions({ projectId, branch, node, answers }: VersionsProps) {
  const t = useT();
  const navigate = useNavigate();
  const { moveTip, goTo } = useTurnActions(projectId, branch);
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  const underWay = repliesUnderWay(answers, branches);
  const isComing = underWay.length > 0;
  useEffect(() => {
    if (isComing && answers !== null) watched.add(answers);
  }, [isComing, answers]);
  const isWatched = isComing || (answers !== null && watched.has(answers));
  const replies = useQuery({ ...repliesQuery(projectId, answers ?? ''), enabled: node === null && answers !== null });
  const siblings = useQuery({ ...siblingsQuery(projectId, node?.id ?? ''), enabled: node !== null && isWatched });
  const known = (node === null ? replies.data : siblings.data) ?? [];
  const siblingIds = node?.siblingIds ?? known.map(({ id }) => id);
  const versions = versionsOf(siblingIds, answers, branches);
  const found = versions.findIndex((version) =>
    version.kind === 'stored' ? version.nodeId === node?.id : node === null && version.branch === branch.name,
  );
  // A reply that was stopped before its first word is none of them; the others come before it.
  const isNone = found < 0;
  const at = isNone ? versions.length : found;
  if (versions.length < (isNone ? 1 : 2)) return null;
  const isRunning = branch.runningTurnId !== null;
  const show = async (index: number): Promise<void> => {
    const version = versions[index];
    if (version?.kind === 'running') await goTo(version.branch);
    if (version?.kind === 'stored') await moveTip(await newestBelow(version.nodeId));
  };
  // Another branch is opened without touching this one, so that is possible at any time.
  const isOutOfReach = (index: number): boolean => {
    const version = versions[index];
    return version === undefined || (version.kind === 'stored' && isRunning);
  };
  const compared = node?.id ?? siblingIds.at(-1);
  const states = statesOf(versions, known);
  const others = underWay.filter((version) => version.kind === 'running' && version.branch !== branch.name).length;
  return (
    <span
      className="siblings"
      role="group"
      aria-label={t('reply.sibling.of', { index: isNone ? 0 : at + 1, count: versions.length })}
    >
      <IconButton
        label={t('reply.sibling.previous')}
        disabled={isOutOfReach(at - 1)}
        onClick={() => void attempt(() => show(at - 1))}
      >
        <ChevronLeftIcon />
      </IconButton>
      <span>
        {isNone ? '–' : at + 1}/{versions.length}
      </span>
      <IconButton
        label={t('reply.sibling.next')}
        disabled={isOutOfReach(at + 1)}
        onClick={() => void attempt(() => show(at + 1))}
      >
        <ChevronRightIcon />
      </IconButton>
      {compared === undefined ? null : (
        <IconButton
          label={t('versions.compare')}
          onClick={() =>
            void navigate({
              to: '/p/$projectId/b/$branch/versions/$nodeId',
              params: { projectId, branch: branch.name, nodeId: compared },
            })
          }
        >
          <CompareIcon />
        </IconButton>
      )}
      {isWatched ? <States states={states} current={at} /> : null}
      {others === 0 || answers === null ? null : (
        <button
          type="button"
          className="button small quiet"
          onClick={() => void attempt(() => stopReplies(projectId, { answering: answers }))}
        >
          <StopIcon />
          {t('versions.stop')}
        </button>
      )}
    </span>
  );
}

const STATES: readonly VersionState[] = ['running', 'complete', 'interrupted', 'error'];

/** One dot for each version: being written, finished, interrupted, failed. */
function States({ states, current }: { readonly states: readonly VersionState[]; readonly current: number }) {
  const t = useT();
  const text = STATES.flatMap((state) => {
    const count = states.filter((each) => each === state).length;
    return count === 0 ? [] : [t(`versions.${state}`, { count: formatNumber(count, t.locale) })];
  }).join(' · ');
  return (
    <Explain text={text}>
      <span className="version-states" role="img" tabIndex={0} aria-label={text}>
        {states.map((state, index) => (
          <i key={index} data-state={state} data-current={index === current ? '' : undefined} />
        ))}
      </span>
    </Explain>
  );
}
