import type { BranchView, NodeView } from '@bough/api/client';
import { CONTINUE_MESSAGE } from '@bough/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.ts';
import { Folded } from '../../parts/folded.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { isEditOpen, readEdit, setEditOpen, useEdit, writeEdit } from '../../session/edit-drafts.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { attempt } from '../../session/refusals.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { FidelityMark } from './fidelity.tsx';
import { MessageActions } from './message-actions.tsx';

interface UserMessageProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly node: NodeView;
  readonly highlighted: boolean;
}

export function UserMessage({ projectId, branch, node, highlighted }: UserMessageProps) {
  const t = useT();
  // The state, unlike what is kept, also works in a browser that stores nothing.
  const [draft, setDraft] = useState<string | null>(() =>
    isEditOpen(node.id) ? (readEdit(node.id) ?? node.content) : null,
  );
  const [isFresh, setIsFresh] = useState(false);
  const kept = useEdit(node.id);
  const { edit } = useTurnActions(projectId, branch);
  const shown = useRef<HTMLElement>(null);
  const write = (text: string): void => {
    setDraft(text);
    writeEdit(node.id, text === node.content ? null : text);
  };
  const start = (text: string): void => {
    setEditOpen(node.id, true);
    setIsFresh(true);
    setDraft(text);
  };
  const forget = (): void => {
    setEditOpen(node.id, false);
    writeEdit(node.id, null);
  };
  /** Removing the field would lose the keyboard focus: it returns to the button that opened it. */
  const leave = (): void => {
    setEditOpen(node.id, false);
    flushSync(() => setDraft(null));
    focusEdit();
  };
  const focusEdit = (): void =>
    shown.current?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(t('reply.edit'))}"]`)?.focus();
  if (draft !== null) {
    const save = async (): Promise<void> => {
      if (draft.trim() === '' || !(await attempt(() => edit(node.id, draft)))) return;
      forget();
      setDraft(null);
    };
    return (
      <form
        className="user-edit"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <textarea
          className="input"
          aria-label={t('edit.title')}
          title={t('edit.hint')}
          rows={4}
          value={draft}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') leave();
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void save();
          }}
          // Not when it is scrolled back into view: the keyboard may be elsewhere by then.
          autoFocus={isFresh}
        />
        <div className="dialog-actions">
          <button
            type="button"
            className="button"
            onClick={() => {
              forget();
              leave();
            }}
          >
            {t('dialog.cancel')}
          </button>
          <button type="submit" className="button primary" disabled={draft.trim() === ''}>
            {t('edit.save')}
          </button>
        </div>
      </form>
    );
  }
  return (
    <section
      ref={shown}
      className="user"
      role="group"
      aria-label={t('conversation.you')}
      data-highlighted={highlighted ? '' : undefined}
    >
      {node.content === CONTINUE_MESSAGE ? (
        <Explain text={t('conversation.automatic.why')}>
          <span className="badge" tabIndex={0}>
            {t('conversation.automatic')}
          </span>
        </Explain>
      ) : null}
      <Folded height={300}>
        <LongText tag="p" className="user-text" text={node.content} />
      </Folded>
      {kept === null ? null : (
        <div className="kept-edit">
          <span>{t('edit.kept')}</span>
          <button type="button" className="button small" onClick={() => start(kept)}>
            {t('edit.again')}
          </button>
          <button
            type="button"
            className="button small quiet"
            onClick={() => {
              flushSync(forget);
              focusEdit();
            }}
          >
            {t('edit.discard')}
          </button>
        </div>
      )}
      <div className="user-foot">
        <FidelityMark nodeIds={[node.id]} />
        <MessageActions
          projectId={projectId}
          branch={branch}
          node={node}
          first={node}
          text={node.content}
          onEdit={() => start(kept ?? node.content)}
        />
      </div>
    </section>
  );
}
