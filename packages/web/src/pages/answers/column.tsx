import type { AnnotationView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/later/index.ts';
import { Loading } from '../../parts/loading.tsx';
import { callsQuery } from '../../session/ask-many.ts';
import { useProviderName } from '../../session/provider-name.ts';
import type { Answer } from '../../view/answers.ts';
import { formatCost, formatDuration } from '../../view/format.ts';
import { totalsOf } from '../../view/totals.ts';
import type { Marking } from '../versions/column.tsx';
import { Column, RunningVersion, StoredVersion } from '../versions/column.tsx';

interface AnswerColumnProps {
  readonly projectId: string;
  /** The branch that the reader came from. */
  readonly here: string;
  readonly answer: Answer;
  /** All messages of its reply. */
  readonly parts: readonly NodeView[];
  readonly number: number;
  /** Its model, and a number where it answered more than once; null if nobody must know. */
  readonly title: string | null;
  readonly isBlind: boolean;
  /** What is stored is being read: it may be there in a moment. */
  readonly isReading: boolean;
  readonly verdict: AnnotationView['verdict'] | null;
  readonly onBetter: (() => void) | null;
  readonly marking: Marking | null;
  readonly isKept: boolean;
  /** Null for an answer that stays in any case. */
  readonly onKeep: ((isKept: boolean) => void) | null;
}

/** One answer, with its model, its price, and whether it is kept. */
export function AnswerColumn(props: AnswerColumnProps) {
  const { projectId, here, answer, parts, number, title, isBlind, isReading, verdict, isKept, onKeep } = props;
  const t = useT();
  const { node, branch } = answer;
  const { data: calls = [] } = useQuery({
    ...callsQuery(projectId, branch?.id ?? '', parts),
    enabled: branch !== null && parts.length > 0 && branch.runningTurnId === null,
  });
  const nameOf = useProviderName();
  const provider = node?.provider ?? branch?.provider ?? null;
  const { cost, durationMs } = totalsOf(calls);
  const facts =
    calls.length === 0
      ? []
      : [cost === null ? t('reply.cost.unknown') : formatCost(cost, t.locale), formatDuration(durationMs, t.locale)];
  const place = branch?.name ?? here;
  const look = {
    title,
    // Branches of answers are named after model and message, which are on the screen.
    facts: isBlind
      ? [t('judge.hidden')]
      : [
          ...(provider === null ? [] : [nameOf(provider)]),
          ...facts,
          ...(branch === null || answer.canGo ? [] : [branch.name]),
        ],
    actions: (
      <>
        {isBlind ? null : (
          <Link
            className="button small"
            to="/p/$projectId/b/$branch"
            params={{ projectId, branch: place }}
            search={branch === null && node !== null ? { node: node.id } : {}}
          >
            {t('answers.continue')}
          </Link>
        )}
        {/* The answer of the branch that was asked from always stays: where there is nothing to tick would name it. */}
        {onKeep === null || isBlind ? null : (
          <label className="check-line answer-keep">
            <input type="checkbox" checked={isKept} onChange={(event) => onKeep(event.target.checked)} />{' '}
            {t('answers.keep')}
          </label>
        )}
      </>
    ),
    isFaint: !isKept,
  };
  if (node !== null)
    return (
      <StoredVersion
        projectId={projectId}
        branch={null}
        node={node}
        number={number}
        reference={null}
        isReference={false}
        referenceNumber={0}
        isBlind={isBlind}
        verdict={verdict}
        onBetter={props.onBetter}
        marking={props.marking}
        look={look}
      />
    );
  if (branch !== null && branch.runningTurnId !== null)
    return (
      <RunningVersion
        key={branch.runningTurnId}
        projectId={projectId}
        turnId={branch.runningTurnId}
        branch={branch.name}
        number={number}
        onGone={() => undefined}
        look={look}
      />
    );
  return (
    <Column number={number} facts={look.facts} note={null} badge={null} action={null} look={look}>
      {isReading ? <Loading failures={0} /> : <p className="faint">{t('answers.none')}</p>}
    </Column>
  );
}
