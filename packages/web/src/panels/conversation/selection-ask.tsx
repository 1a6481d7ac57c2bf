import type { BranchView } from '@bough/api/client';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { QuoteIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { askAbout } from '../../session/ask-about.ts';
import { focusComposerOf, insertIntoComposer } from '../../session/composer-bus.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { quoted } from '../../view/reply.ts';
import { useSelectedPassage } from './selected-passage.ts';
import { errorText } from '../../view/error-text.ts';

interface SelectionAskProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly scroller: HTMLDivElement | null;
}

/** Words selected in a reply can be asked about on a new branch: going there, or staying here. */
export function SelectionAsk({ projectId, branch, scroller }: SelectionAskProps) {
  const t = useT();
  const [passage, clear] = useSelectedPassage(scroller);
  const [question, setQuestion] = useState('');
  const [notice, setNotice] = useState<{ readonly branch?: string; readonly problem?: string } | null>(null);
  const { goTo } = useTurnActions(projectId, branch);
  const ask = async (isBackground: boolean): Promise<void> => {
    if (passage === null) return;
    const { nodeId, text } = passage;
    clear();
    setQuestion('');
    setNotice(null);
    try {
      const created = await askAbout({ projectId, branch, nodeId, text }, question.trim());
      if (isBackground) setNotice({ branch: created.name });
      else {
        focusComposerOf(projectId, created.name);
        await goTo(created.name);
      }
    } catch (error) {
      setNotice({ problem: errorText(error) });
    }
  };
  if (passage === null) {
    if (notice === null) return null;
    const { branch: name, problem } = notice;
    return (
      <div className="toast" role="status">
        <span>{problem ?? t('selection.sent', { name: name ?? '' })}</span>
        {name === undefined ? null : (
          <button type="button" className="button small" onClick={() => void goTo(name)}>
            {t('selection.open')}
          </button>
        )}
        <button type="button" className="button small quiet" onClick={() => setNotice(null)}>
          {t('dialog.close')}
        </button>
      </div>
    );
  }
  return (
    <form
      className="selection-ask"
      aria-label={t('selection.label')}
      style={{ left: passage.x, top: passage.y }}
      onSubmit={(event) => {
        event.preventDefault();
        void ask(false);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') clear();
      }}
    >
      <input
        className="input"
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        placeholder={t('selection.placeholder')}
        aria-label={t('selection.placeholder')}
      />
      <div className="selection-actions">
        <button type="submit" className="button small primary">
          {t('selection.ask')}
        </button>
        <button type="button" className="button small" disabled={question.trim() === ''} onClick={() => void ask(true)}>
          {t('selection.ask.background')}
        </button>
        <IconButton
          label={t('reply.quote')}
          onClick={() => {
            insertIntoComposer(quoted(passage.text));
            clear();
          }}
        >
          <QuoteIcon />
        </IconButton>
      </div>
    </form>
  );
}
