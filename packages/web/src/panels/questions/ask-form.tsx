import type { BranchView } from '@bough/api/client';
import { QUESTION_LIMITS } from '@bough/core';
import type { RefObject } from 'react';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { isSendKey } from '../../parts/enter-key.ts';
import { CloseIcon, QuoteIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { askAbout } from '../../session/ask-about.ts';
import { focusComposerOf, insertIntoComposer } from '../../session/composer-bus.ts';
import { stayHere } from '../../session/conversation-bus.ts';
import { newId } from '../../session/new-id.ts';
import { askBeside } from '../../session/questions.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { formatNumber } from '../../view/format.ts';
import { quoted } from '../../view/reply.ts';
import type { SelectedPassage } from '../conversation/selected-passage.ts';
import { useMark } from './marks.ts';
import { shownText, wordsIn } from './shown-text.ts';
import './questions.css';

interface AskFormProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly scroller: HTMLElement | null;
  /** Null while nothing is marked: what was typed stays for the next words. */
  readonly passage: SelectedPassage | null;
  readonly onClose: () => void;
}

/** Asks about the marked words: beside them, where the reader stays, or on a branch, where they go. */
export function AskForm({ projectId, branch, scroller, passage, onClose }: AskFormProps) {
  const t = useT();
  const [question, setQuestion] = useState('');
  const { busy, problem, setProblem, run } = useAttempt();
  const [asked, setAsked] = useState<JustAsked | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const close = useClosing(form, scroller, passage !== null, onClose);
  const { goTo } = useTurnActions(projectId, branch);
  const words = useMemo(() => wordsOf(passage), [passage]);
  const marked = useMemo(() => (passage === null ? [] : [passage.range]), [passage]);
  useMark('asking', marked);
  usePlace(form, passage);
  useEffect(() => {
    setProblem(null);
    if (passage === null) return;
    setAsked(null);
    if (passage.byKeyboard) form.current?.querySelector('textarea')?.focus({ preventScroll: true });
  }, [passage]);
  const requestId = useRequestId();

  const ask = (work: () => Promise<void>): Promise<boolean> =>
    run(async () => {
      await work();
      setQuestion('');
    });
  if (passage === null || words === null)
    return <Asked asked={asked} scroller={scroller} onClose={() => setAsked(null)} />;
  const { nodeId, text, reply } = passage;
  const typed = question.trim();
  const tooLong = words.quote.length > QUESTION_LIMITS.quote;
  const askHere = async (): Promise<void> => {
    const { offset, ...kept } = words;
    const more = offset === null ? {} : { offset };
    const input = { nodeId, ...kept, ...more, question: typed, ref: branch.id };
    // The note may need room: the page would follow the end that moves.
    stayHere.ring();
    const isDone = await ask(async () => {
      const isFar = isFarFrom(reply, scroller);
      const branchId = await askBeside(projectId, { ...input, clientRequestId: requestId(JSON.stringify(input)) });
      setAsked({ branchId, isFar });
    });
    if (isDone) close();
  };
  const askThere = async (): Promise<void> => {
    const isDone = await ask(async () => {
      const created = await askAbout({ projectId, branch, nodeId, text }, typed);
      focusComposerOf(projectId, created.name);
      await goTo(created.name);
    });
    if (isDone) onClose();
  };
  const submit = (): void => {
    if (typed !== '' && !tooLong) void askHere();
  };
  return (
    <form
      ref={form}
      className="selection-ask"
      aria-label={t('selection.label')}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        className="input"
        rows={2}
        value={question}
        maxLength={QUESTION_LIMITS.question}
        onChange={(event) => setQuestion(event.target.value)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          submit();
        }}
        placeholder={t('selection.placeholder')}
        aria-label={t('selection.placeholder')}
        aria-keyshortcuts="Alt+Q"
      />
      <div className="selection-actions">
        <button
          type="submit"
          className="button small primary"
          disabled={typed === '' || tooLong}
          aria-busy={busy}
          aria-describedby="selection-hint"
        >
          {t('selection.ask.here')}
        </button>
        <button
          type="button"
          className="button small"
          aria-describedby="selection-hint"
          disabled={busy}
          onClick={() => void askThere()}
        >
          {t('selection.ask')}
        </button>
        <IconButton
          label={t('reply.quote')}
          onClick={() => {
            insertIntoComposer(quoted(text));
            onClose();
          }}
        >
          <QuoteIcon />
        </IconButton>
      </div>
      {problem === null ? (
        <small id="selection-hint" className="faint">
          {tooLong
            ? t('selection.tooLong', { most: formatNumber(QUESTION_LIMITS.quote, t.locale) })
            : t('selection.hint')}
        </small>
      ) : (
        <p className="selection-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

interface JustAsked {
  readonly branchId: string;
  /** Below what is on the screen: there is no margin beside the words. */
  readonly isFar: boolean;
}

/** As wide as the conversation must be for a margin, see questions.css. */
const MARGIN_FROM = 68 * 16;
/** What is seen of the note at least. */
const SEEN = 60;

/** Whether the note will be out of sight. */
function isFarFrom(reply: HTMLElement, scroller: HTMLElement | null): boolean {
  const above = [...reply.querySelectorAll('.reply-body, .question-notes')].at(-1);
  if (scroller === null || above === undefined || scroller.clientWidth >= MARGIN_FROM) return false;
  return above.getBoundingClientRect().bottom + SEEN > scroller.getBoundingClientRect().bottom;
}

/** Where the answer appears; where there is no margin, it may be screens below the words. */
function Asked({
  asked,
  scroller,
  onClose,
}: {
  readonly asked: JustAsked | null;
  readonly scroller: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const t = useT();
  const { branchId, isFar } = asked ?? { branchId: null, isFar: false };
  const show = (): void => {
    const head = scroller?.querySelector<HTMLElement>(`[data-note="${CSS.escape(branchId ?? '')}"] .question-head`);
    head?.scrollIntoView({ block: 'center' });
    head?.focus({ preventScroll: true });
    onClose();
  };
  return (
    <div className={isFar ? 'toast' : 'visually-hidden'} role="status">
      <span>{branchId === null ? '' : t(isFar ? 'selection.asked.below' : 'selection.asked')}</span>
      {isFar ? (
        <>
          <button type="button" className="button small" onClick={show}>
            {t('selection.show')}
          </button>
          <IconButton label={t('dialog.close')} onClick={onClose}>
            <CloseIcon />
          </IconButton>
        </>
      ) : null}
    </div>
  );
}

/** As they are shown; where they are none of the text, as the browser copies them. */
function wordsOf(passage: SelectedPassage | null) {
  if (passage === null) return null;
  const body = passage.reply.querySelector('.reply-body');
  const found = body === null ? null : wordsIn(shownText(body), passage.range);
  return found ?? { quote: passage.text, before: '', after: '', offset: null };
}

/** The same question that is sent once more is asked once. */
function useRequestId(): (asked: string) => string {
  const last = useRef({ asked: '', id: '' });
  return (asked) => {
    if (last.current.asked !== asked) last.current = { asked, id: newId() };
    return last.current.id;
  };
}

/** Closes the form; the keyboard returns to where it was before, or to the conversation. */
function useClosing(
  form: RefObject<HTMLFormElement | null>,
  scroller: HTMLElement | null,
  isOpen: boolean,
  onClose: () => void,
): () => void {
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const onFocus = ({ target, relatedTarget }: FocusEvent): void => {
      const isInside = (node: EventTarget | null): boolean =>
        node instanceof Node && form.current?.contains(node) === true;
      if (isInside(target) && !isInside(relatedTarget))
        before.current = relatedTarget instanceof Element ? relatedTarget : null;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [form]);
  const close = (): void => {
    const hadFocus = form.current?.contains(document.activeElement) === true;
    onClose();
    const target = before.current?.isConnected === true ? before.current : scroller;
    if (hadFocus && target instanceof HTMLElement) target.focus({ preventScroll: true });
  };
  const onKey = useEffectEvent(({ key }: KeyboardEvent): void => {
    if (key === 'Escape') close();
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOpen]);
  return close;
}

const GAP = 8;

/** Below the words, or above them where there is no room; always inside the window. */
function usePlace(form: RefObject<HTMLFormElement | null>, passage: SelectedPassage | null): void {
  useLayoutEffect(() => {
    const element = form.current;
    if (element === null || passage === null) return;
    const box = passage.range.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = element;
    const below = box.bottom + GAP;
    const top = below + height + GAP <= window.innerHeight ? below : box.top - GAP - height;
    element.style.left = `${Math.max(GAP, Math.min(box.left, window.innerWidth - width - GAP))}px`;
    element.style.top = `${Math.max(GAP, Math.min(top, window.innerHeight - height - GAP))}px`;
  }, [form, passage]);
}
