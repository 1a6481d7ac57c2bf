import type { BranchView, NodeView } from '@bough/api/client';
import { CONTINUE_MESSAGE } from '@bough/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.ts';
import { Folded } from '../../parts/folded.tsx';
import { LongText } from '../../parts/long-text.tsx';
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
  const [draft, setDraft] = useState<string | null>(null);
  const { edit } = useTurnActions(projectId, branch);
  const shown = useRef<HTMLElement>(null);
  /** Removing the field would lose the keyboard focus: it returns to the button that opened it. */
  const leave = (): void => {
    flushSync(() => setDraft(null));
    shown.current?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(t('reply.edit'))}"]`)?.focus();
  };
  if (draft !== null) {
    const save = async (): Promise<void> => {
      if (await attempt(() => edit(node.id, draft))) setDraft(null);
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
          rows={4}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') leave();
          }}
          autoFocus
        />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={leave}>
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
      <div className="user-foot">
        <FidelityMark nodeIds={[node.id]} />
        <MessageActions
          projectId={projectId}
          branch={branch}
          node={node}
          first={node}
          text={node.content}
          onEdit={() => setDraft(node.content)}
        />
      </div>
    </section>
  );
}
