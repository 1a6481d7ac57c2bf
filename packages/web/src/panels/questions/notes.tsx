import type { BranchView } from '@bough/api/client';
import { useEffect, useMemo, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import type { BesideQuestion } from '../../session/questions.ts';
import { isUnderWay } from './answer.tsx';
import { useArranged } from './arrange.ts';
import { isOn, useMark } from './marks.ts';
import { Note } from './note.tsx';
import { inOrderOfWords, useWords } from './use-words.ts';
import './questions.css';

/** As many stand open beside a reply; of more, each is a line. */
const MOST_OPEN = 2;

interface QuestionNotesProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** At least one. */
  readonly questions: readonly BesideQuestion[];
}

/** What was asked about words of a reply: beside them where there is a margin, below the reply where there is none. */
export function QuestionNotes({ projectId, branch, questions }: QuestionNotesProps) {
  const t = useT();
  const [list, setList] = useState<HTMLElement | null>(null);
  const reply = list?.closest<HTMLElement>('.reply') ?? null;
  const body = reply?.querySelector<HTMLElement>('.reply-body') ?? null;
  const places = useWords(body, questions);
  const ordered = inOrderOfWords(questions, places);
  useArranged(
    list,
    ordered.map(({ branchId }) => branchId),
    places,
  );
  const [looked, setLooked] = useState<string | null>(null);
  useMark(
    'asked',
    useMemo(() => [...places.values()].filter((range) => range !== null), [places]),
  );
  const here = places.get(looked ?? '') ?? null;
  useMark(
    'asked-here',
    useMemo(() => (here === null ? [] : [here]), [here]),
  );
  const [called, setCalled] = useState<{ readonly branchId: string; readonly times: number } | null>(null);
  useEffect(() => {
    if (body === null) return undefined;
    const at = (event: MouseEvent): string | null =>
      [...places].find(([, range]) => range !== null && isOn(range, event.clientX, event.clientY))?.[0] ?? null;
    const onClick = (event: MouseEvent): void => {
      const isFree = event.target instanceof Element && event.target.closest('a, button, summary') === null;
      const branchId = isFree && window.getSelection()?.isCollapsed !== false ? at(event) : null;
      if (branchId !== null) setCalled((before) => ({ branchId, times: (before?.times ?? 0) + 1 }));
    };
    const onMove = (event: MouseEvent): void => void body.toggleAttribute('data-on-words', at(event) !== null);
    body.addEventListener('click', onClick);
    body.addEventListener('pointermove', onMove);
    return () => {
      body.removeEventListener('click', onClick);
      body.removeEventListener('pointermove', onMove);
    };
  }, [body, places]);
  const answered = useAnswered(questions);
  return (
    <div ref={setList} className="question-notes" role="group" aria-label={t('question.beside')}>
      {ordered.map((question) => (
        <Note
          key={question.branchId}
          projectId={projectId}
          branch={branch}
          question={question}
          isOneOfMany={questions.length > MOST_OPEN}
          isPlaced={places.get(question.branchId) != null}
          calls={called?.branchId === question.branchId ? called.times : 0}
          onLook={(isLooked) => setLooked(isLooked ? question.branchId : null)}
          onGoToWords={() =>
            places.get(question.branchId)?.startContainer.parentElement?.scrollIntoView({ block: 'center' })
          }
          // The button that had the keyboard is gone.
          onDropped={() => reply?.focus({ preventScroll: true })}
        />
      ))}
      <p className="visually-hidden" role="status">
        {answered === null ? '' : t('question.answered', { question: answered })}
      </p>
    </div>
  );
}

/** The question whose answer was finished last, while this is on the screen. */
function useAnswered(questions: readonly BesideQuestion[]): string | null {
  const running = questions
    .filter(({ details }) => details !== null && isUnderWay(details))
    .map(({ branchId }) => branchId)
    .join(' ');
  const [before, setBefore] = useState(running);
  const [answered, setAnswered] = useState<string | null>(null);
  if (running !== before) {
    const ended = questions.find(({ branchId }) => before.includes(branchId) && !running.includes(branchId));
    setBefore(running);
    if (ended !== undefined) setAnswered(ended.question);
  }
  return answered;
}
