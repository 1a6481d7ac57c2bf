import type { BranchView, QuestionView } from '@bough/api/client';
import type { ReactNode } from 'react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { BranchIcon, ChevronRightIcon, RetryIcon, StopIcon, TrashIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { focusComposerOf } from '../../session/composer-bus.ts';
import { useVisit } from '../../session/news.ts';
import { useOpened } from '../../session/opened.ts';
import type { BesideQuestion } from '../../session/questions.ts';
import { askAgain, dropQuestion, notePlace, showQuestionBranch } from '../../session/questions.ts';
import { attempt } from '../../session/refusals.ts';
import { stopReplies } from '../../session/stop.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { Answer, isUnderWay } from './answer.tsx';

interface NoteProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly question: BesideQuestion;
  /** There are many: each is a line until it is opened. */
  readonly isOneOfMany: boolean;
  /** Its words are in the reply as it is shown. */
  readonly isPlaced: boolean;
  /** The reader touched its words, so often. */
  readonly calls: number;
  readonly onLook: (isLooked: boolean) => void;
  readonly onGoToWords: () => void;
  readonly onDropped: () => void;
}

/** A question and its answer. */
export function Note(props: NoteProps) {
  const { projectId, branch, question, isOneOfMany, isPlaced, calls, onLook, onGoToWords, onDropped } = props;
  const t = useT();
  const { branchId, details } = question;
  const [chosen, choose] = useOpened(notePlace(branchId));
  const isOpen = chosen ?? !isOneOfMany;
  const head = useRef<HTMLButtonElement>(null);
  // Nobody has to go to its branch to have seen the answer.
  useVisit([branchId]);
  const onCall = useEffectEvent(() => {
    choose(true);
    head.current?.focus({ preventScroll: true });
    head.current?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => {
    if (calls > 0) onCall();
  }, [calls]);
  const state = details === null || isOpen ? null : stateOf(details);
  return (
    <section
      className="question-note"
      data-note={branchId}
      data-open={isOpen ? '' : undefined}
      aria-label={t('question.label', { question: question.question })}
      aria-busy={details === null || isUnderWay(details)}
      onMouseEnter={() => onLook(true)}
      onMouseLeave={() => onLook(false)}
      onFocus={() => onLook(true)}
      onBlur={() => onLook(false)}
    >
      <button ref={head} type="button" className="question-head" aria-expanded={isOpen} onClick={() => choose(!isOpen)}>
        <ChevronRightIcon />
        <span className="question-text" dir="auto">
          {question.question}
        </span>
        {state === null ? null : <span className="faint">{t(`status.${state}`)}</span>}
      </button>
      {isOpen && details !== null ? (
        <>
          {isPlaced ? (
            <button type="button" className="question-words" title={t('question.words.show')} onClick={onGoToWords}>
              <span dir="auto">{details.quote}</span>
            </button>
          ) : (
            <p className="question-words">
              <span dir="auto">{details.quote}</span> <small>{t('question.words.lost')}</small>
            </p>
          )}
          <Answer projectId={projectId} question={details} />
          <Actions projectId={projectId} branch={branch} question={details} onDropped={onDropped} />
        </>
      ) : null}
    </section>
  );
}

function stateOf(question: QuestionView): 'running' | 'error' | 'interrupted' | null {
  if (isUnderWay(question)) return 'running';
  return question.status === 'error' || question.status === 'interrupted' ? question.status : null;
}

interface ActionsProps extends Pick<NoteProps, 'projectId' | 'branch' | 'onDropped'> {
  readonly question: QuestionView;
}

function Actions({ projectId, branch, question, onDropped }: ActionsProps): ReactNode {
  const t = useT();
  const { goTo } = useTurnActions(projectId, branch);
  const { branchId, hidden, status } = question;
  // Whoever went there goes on there.
  if (branchId === branch.id) return <p className="question-state">{t('question.here')}</p>;
  const open = async (): Promise<void> => {
    await showQuestionBranch(projectId, question);
    focusComposerOf(projectId, question.branch);
    await goTo(question.branch);
  };
  const drop = async (): Promise<void> => {
    if (await attempt(() => dropQuestion(projectId, branchId))) onDropped();
  };
  return (
    <div className="question-actions">
      {isUnderWay(question) ? (
        <button
          type="button"
          className="button small"
          onClick={() => void attempt(() => stopReplies(projectId, { ref: branchId }))}
        >
          <StopIcon />
          {t('composer.stop')}
        </button>
      ) : null}
      {status === 'error' || status === 'interrupted' ? (
        <button
          type="button"
          className="button small"
          onClick={() => void attempt(() => askAgain(projectId, question))}
        >
          <RetryIcon />
          {t('question.again')}
        </button>
      ) : null}
      <button type="button" className="button small quiet" onClick={() => void attempt(open)}>
        <BranchIcon />
        {t(hidden ? 'question.open' : 'question.goTo')}
      </button>
      {isUnderWay(question) ? null : (
        <IconButton label={t('question.delete')} onClick={() => void drop()}>
          <TrashIcon />
        </IconButton>
      )}
    </div>
  );
}
