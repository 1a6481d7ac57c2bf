import type { AnnotationView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { annotate, annotationsQuery, judge } from '../../session/annotations.ts';
import { attempt } from '../../session/refusals.ts';
import type { Marking } from './column.tsx';

export interface Judging {
  readonly isBlind: boolean;
  readonly setBlind: (blind: boolean) => void;
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  /** Chooses the better one of those that are shown; null: they are equally good. */
  readonly choose: (best: NodeView | null) => void;
  readonly verdictOf: (node: NodeView) => AnnotationView['verdict'] | null;
  /** What was said of a reply by itself. */
  readonly markOf: (node: NodeView) => AnnotationView['verdict'] | null;
  /** Says it, or takes it back. Names stay hidden: the others can be marked, too. */
  readonly mark: (node: NodeView, mark: 'good' | 'bad') => void;
}

/** Replies that can be compared: nothing is learnt from one that failed. */
export const comparable = (shown: readonly NodeView[]): readonly NodeView[] =>
  shown.filter(({ role, isError }) => role === 'assistant' && !isError);

/**
 * A comparison of what is shown. Once it is made, names are shown again. `beginsBlind`: whoever asked did not want to
 * see them before.
 */
export function useJudging(projectId: string, shown: readonly NodeView[], beginsBlind = false): Judging {
  const [blindChosen, setBlind] = useState<boolean | null>(null);
  const [reason, setReason] = useState('');
  const { data = [] } = useQuery(annotationsQuery(projectId));
  const nodes = comparable(shown).map(({ id }) => id);
  const verdicts = data.filter(({ kind, name }) => kind === 'verdict' && name !== '');
  // The comparison of exactly these.
  const comparison = verdicts.find(({ name }) => {
    const members = verdicts.filter((one) => one.name === name).map((one) => one.nodeId);
    return members.length === nodes.length && members.every((id) => nodes.includes(id));
  })?.name;
  const isBlind = blindChosen ?? (beginsBlind && comparison === undefined);
  // What is written meanwhile is for the next verdict.
  const said = (sent: string): void => setReason((now) => (now === sent ? '' : now));
  const choose = (best: NodeView | null): void =>
    void attempt(async () => {
      const why = reason.trim() === '' ? {} : { reason: reason.trim() };
      await judge(projectId, { nodes, best: best === null ? nodes : [best.id], blind: isBlind, ...why });
      setBlind(false);
      said(reason);
    });
  const markOf = (node: NodeView): AnnotationView['verdict'] | null =>
    data.find(({ kind, name, nodeId }) => kind === 'verdict' && name === '' && nodeId === node.id)?.verdict ?? null;
  const mark = (node: NodeView, given: 'good' | 'bad'): void =>
    void attempt(async () => {
      const why = reason.trim() === '' ? {} : { reason: reason.trim() };
      const change = markOf(node) === given ? { mark: null } : { mark: given, blind: isBlind, ...why };
      await annotate(projectId, node.id, change);
      said(reason);
    });
  return {
    isBlind,
    setBlind,
    reason,
    setReason,
    choose,
    markOf,
    mark,
    verdictOf: (node) => verdicts.find((one) => one.name === comparison && one.nodeId === node.id)?.verdict ?? null,
  };
}

/** Of one reply, for its column. */
export const markingOf = ({ markOf, mark }: Judging, node: NodeView): Marking => ({
  mark: markOf(node),
  onMark: (given) => mark(node, given),
});

interface JudgeBarProps {
  readonly judging: Judging;
  /** False while there is not enough to choose from: names can be hidden before. */
  readonly canJudge?: boolean;
}

/** Above the columns: whether names are hidden, why, and that nothing is better. */
export function JudgeBar({ judging, canJudge = true }: JudgeBarProps) {
  const t = useT();
  const { isBlind, setBlind, reason, setReason, choose } = judging;
  return (
    <div className="judge-bar" role="group" aria-label={t('judge.lead')}>
      <span>{t('judge.lead')}</span>
      <label className="check-line">
        <input type="checkbox" checked={isBlind} onChange={(event) => setBlind(event.target.checked)} />{' '}
        {t('judge.blind')}
      </label>
      <input
        className="input"
        value={reason}
        maxLength={2_000}
        placeholder={t('judge.reason')}
        aria-label={t('judge.reason')}
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="button" className="button small" disabled={!canJudge} onClick={() => choose(null)}>
        {t('judge.tie')}
      </button>
    </div>
  );
}

/** The order in which versions were made would tell which is which: without names they stand in another one. */
export function inBlindOrder<Each extends Pick<NodeView, 'id'>>(nodes: readonly Each[]): readonly Each[] {
  const mixed = ({ id }: Each): string => Array.from(id).reverse().join('');
  return nodes.toSorted((a, b) => (mixed(a) < mixed(b) ? -1 : 1));
}
