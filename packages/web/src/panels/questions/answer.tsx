import type { QuestionView } from '@bough/api/client';
import { useEffect } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Boundary } from '../../parts/boundary.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Prose } from '../../parts/prose.tsx';
import { followInTurn } from '../../session/follow-in-turn.ts';
import { useLiveTurn } from '../../session/use-live-turn.ts';
import { withoutIds } from '../../view/error-text.ts';
import { isThinking, liveText } from '../../view/live-turn.ts';
import { Waiting } from '../conversation/waiting.tsx';

export const isUnderWay = ({ status }: QuestionView): boolean => status === 'running' || status === 'awaiting_approval';

/** What was answered, while it is written and afterwards. */
export function Answer({ projectId, question }: { readonly projectId: string; readonly question: QuestionView }) {
  const t = useT();
  const { status, turnId, answer } = question;
  const isRunning = isUnderWay(question);
  const followed = isRunning ? turnId : null;
  useEffect(() => {
    if (followed === null) return undefined;
    let isWanted = true;
    void followInTurn(projectId, followed, () => isWanted);
    return () => {
      isWanted = false;
    };
  }, [projectId, followed]);
  const live = useLiveTurn(followed);
  const text = live === null ? answer : liveText(live);
  // The list of questions hears of it later than the stream.
  const waits = status === 'awaiting_approval' || live?.status === 'awaiting_approval';
  if (status === 'error')
    return (
      <div className="question-state danger" role="alert">
        <strong>{t('reply.error')}</strong>
        <p dir="auto" translate="no">
          {withoutIds(answer)}
        </p>
      </div>
    );
  return (
    <>
      {text === '' ? null : (
        <div className="question-answer" tabIndex={0} role="group" aria-label={t('question.answer')}>
          <Boundary fallback={<LongText tag="p" text={text} />} subject={question}>
            <Prose text={text} quiet streaming={isRunning} />
          </Boundary>
        </div>
      )}
      {live !== null && live.waiting !== null ? <Waiting {...live.waiting} /> : null}
      {isRunning && !waits && (text === '' || (live !== null && isThinking(live))) ? (
        <p className="question-state">{t('reasoning.live')}</p>
      ) : null}
      {waits ? <p className="question-state">{t('question.approval')}</p> : null}
      {status === 'interrupted' ? <p className="question-state">{t('reply.interrupted')}</p> : null}
      {status === 'complete' && text === '' ? <p className="question-state">{t('reply.early.empty')}</p> : null}
    </>
  );
}
