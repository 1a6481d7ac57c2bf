import type { AnnotationView, BranchView, NodeView } from '@bough/api/client';
import { diffWords } from '@bough/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect, useMemo, useRef } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { modelLabel } from '../../panels/conversation/reply-footer.tsx';
import { MarkIcon } from '../../panels/kept/mark-icon.tsx';
import { Boundary } from '../../parts/boundary.tsx';
import { Loading } from '../../parts/loading.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Prose } from '../../parts/prose.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { followInTurn } from '../../session/follow-in-turn.ts';
import { providersQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { newestBelow, versionQuery } from '../../session/versions.ts';
import { formatKnownTime } from '../../view/format.ts';
import { liveText } from '../../view/live-turn.ts';
import { replyTextOf } from '../../view/reply.ts';
import '../../panels/conversation/conversation.css';

/** What a page says about a column besides the version itself. */
export interface ColumnLook {
  /** Null: its number. */
  readonly title: string | null;
  readonly facts: readonly string[];
  readonly actions: ReactNode;
  readonly isFaint: boolean;
}

export interface Marking {
  readonly mark: AnnotationView['verdict'] | null;
  readonly onMark: (mark: 'good' | 'bad') => void;
}

interface StoredVersionProps {
  readonly projectId: string;
  /** The branch that the reader came from: it is what shows another version. */
  readonly branch: BranchView | null;
  readonly node: NodeView;
  readonly number: number;
  /** What its words are compared with; null: it is shown as it is. */
  readonly reference: NodeView | null;
  /** The others are compared with it. */
  readonly isReference: boolean;
  readonly referenceNumber: number;
  /** Nothing tells who made it. */
  readonly isBlind: boolean;
  readonly verdict: AnnotationView['verdict'] | null;
  /** Null where there is nothing to choose from. */
  readonly onBetter: (() => void) | null;
  /** What was said of it by itself, and how to say it; absent where it cannot be judged. */
  readonly marking?: Marking | null;
  readonly look?: ColumnLook | undefined;
}

const MARKS = ['good', 'bad'] as const;

export function StoredVersion({
  projectId,
  branch,
  node,
  number,
  reference,
  isReference,
  referenceNumber,
  isBlind,
  verdict,
  onBetter,
  marking = null,
  look,
}: StoredVersionProps) {
  const t = useT();
  const { moveTip, goTo } = useTurnActions(projectId, { name: branch?.name ?? '' });
  const providers = useQuery(providersQuery).data?.providers ?? [];
  const parts = useQuery(versionQuery(projectId, node));
  const compared = useQuery({ ...versionQuery(projectId, reference ?? node), enabled: reference !== null });
  const text = parts.data === undefined ? null : textOf(parts.data);
  const before = reference === null || compared.data === undefined ? null : textOf(compared.data);
  const last = parts.data?.at(-1) ?? node;
  const show = async (): Promise<void> => {
    await moveTip(await newestBelow(node.id));
    await goTo(branch?.name ?? '', node.id);
  };
  const state = last.isError ? 'error' : last.interrupted ? 'interrupted' : null;
  const known = [
    // The heading says it already.
    ...(look != null && look.title !== null
      ? []
      : node.role === 'assistant'
        ? [modelLabel(providers, last) ?? t('role.assistant')]
        : []),
    formatKnownTime(node.createdAt, t.locale) ?? t('time.unknown'),
  ];
  const facts = isBlind ? [t('judge.hidden')] : [...known, ...(look?.facts ?? [])];
  return (
    <Column
      number={number}
      facts={facts}
      look={look}
      note={
        isReference
          ? t('versions.reference')
          : reference === null
            ? null
            : t('versions.against', { index: referenceNumber })
      }
      badge={
        <>
          {state === null ? null : (
            <span className={state === 'error' ? 'badge danger' : 'badge warn'}>{t(`status.${state}`)}</span>
          )}
          {verdict == null || isBlind ? null : <span className="badge">{t(`kept.verdict.${verdict}`)}</span>}
        </>
      }
      action={
        <span className="version-actions">
          {marking === null
            ? null
            : MARKS.map((each) => (
                <IconButton
                  key={each}
                  label={t(`kept.mark.${each}`)}
                  pressed={marking.mark === each}
                  className="version-mark"
                  onClick={() => marking.onMark(each)}
                >
                  <MarkIcon mark={each} />
                </IconButton>
              ))}
          {onBetter === null ? null : (
            <button type="button" className="button small" aria-pressed={verdict === 'better'} onClick={onBetter}>
              {t('judge.better')}
            </button>
          )}
          {branch === null || isBlind ? null : (
            <button
              type="button"
              className="button small"
              disabled={branch.runningTurnId !== null}
              onClick={() => void attempt(show)}
            >
              {t('versions.show')}
            </button>
          )}
          {look?.actions}
        </span>
      }
    >
      {parts.isError ? <Problem message={parts.error.message} /> : null}
      {text === null ? <Loading failures={parts.failureCount} /> : null}
      {text === null ? null : before !== null ? (
        <WordDifference before={before} after={text} />
      ) : isBlind && last.isError ? (
        // An error is told in the words of its provider.
        <p className="faint">{t('judge.hidden')}</p>
      ) : node.role === 'assistant' && !last.isError ? (
        <Boundary fallback={<LongText tag="p" className="user-text" text={text} />} subject={node}>
          <Prose text={text} />
        </Boundary>
      ) : (
        <LongText tag="p" className="user-text" text={text} />
      )}
    </Column>
  );
}

interface RunningVersionProps {
  readonly projectId: string;
  readonly turnId: string;
  readonly branch: string;
  /** Branches are named after models: nothing tells which one it is on. */
  readonly isBlind?: boolean;
  readonly number: number;
  /** It has ended, and what there is of it is stored: perhaps nothing. */
  readonly onGone: () => void;
  readonly look?: ColumnLook | undefined;
}

/** A reply as it is being made. */
export function RunningVersion({
  projectId,
  turnId,
  branch,
  isBlind = false,
  number,
  onGone,
  look,
}: RunningVersionProps) {
  const t = useT();
  const live = useLiveTurn(turnId);
  const isGone = useRef(onGone);
  isGone.current = onGone;
  useEffect(() => {
    let isWanted = true;
    const follow = async (): Promise<void> => {
      await followInTurn(projectId, turnId, () => isWanted);
      if (isWanted) isGone.current();
    };
    void follow();
    return () => {
      isWanted = false;
    };
  }, [projectId, turnId]);
  const text = live === null ? '' : liveText(live);
  return (
    <Column
      number={number}
      facts={look?.facts ?? [isBlind ? t('judge.hidden') : branch]}
      look={look}
      note={null}
      badge={<span className="badge">{t('status.running')}</span>}
      action={
        isBlind ? null : look === undefined ? (
          <Link className="button small" to="/p/$projectId/b/$branch" params={{ projectId, branch }}>
            {t('versions.show')}
          </Link>
        ) : (
          <span className="version-actions">{look.actions}</span>
        )
      }
    >
      {text === '' ? <p className="faint">{t('reasoning.live')}</p> : <Prose text={text} streaming />}
    </Column>
  );
}

interface ColumnProps {
  readonly number: number;
  readonly facts: readonly string[];
  readonly note: string | null;
  readonly badge: ReactNode;
  readonly action: ReactNode;
  readonly look?: ColumnLook | undefined;
  readonly children: ReactNode;
}

export function Column({ number, facts, note, badge, action, look, children }: ColumnProps) {
  const t = useT();
  const name = look?.title ?? t('versions.one', { index: number });
  return (
    <section aria-label={name} data-faint={look?.isFaint === true ? '' : undefined}>
      <header>
        <h2>{name}</h2>
        {action ?? <span className="version-actions">{look?.actions}</span>}
        <small>
          {badge} {[...facts, ...(note === null ? [] : [note])].join(' · ')}
        </small>
      </header>
      <div className="version-text" tabIndex={0} role="group" aria-label={name}>
        {children}
      </div>
    </section>
  );
}

/** What is new is underlined, what is gone is struck through: neither is told by colour alone. */
function WordDifference({ before, after }: { readonly before: string; readonly after: string }) {
  const t = useT();
  const runs = useMemo(() => diffWords(before, after), [before, after]);
  const isSame = runs.every(({ kind }) => kind === 'same');
  return (
    <>
      {isSame ? <p className="version-note">{t('versions.same')}</p> : null}
      <p className="word-difference" dir="auto">
        {runs.map(({ kind, text }, index) =>
          kind === 'added' ? (
            <ins key={index}>{text}</ins>
          ) : kind === 'removed' ? (
            <del key={index}>{text}</del>
          ) : (
            <span key={index}>{text}</span>
          ),
        )}
      </p>
    </>
  );
}

function textOf(parts: readonly NodeView[]): string {
  const text = replyTextOf(parts);
  return text === '' ? parts.map(({ content }) => content).join('\n\n') : text;
}
