import type { BranchView, NodeView } from '@bough/api/client';
import { CONTINUE_MESSAGE, readQuestionMessage } from '@bough/core';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.ts';
import { Files } from '../../parts/files/index.tsx';
import { Folded } from '../../parts/folded.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { isEditOpen, readEdit, setEditOpen, useEdit, writeEdit } from '../../session/edit-drafts.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { attempt } from '../../session/refusals.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { isLeftOut } from '../../view/choices.ts';
import { contentOf, filesOf } from '../../view/message-content.ts';
import { ChoiceMark } from './choice-mark.tsx';
import { EditMessage } from './edit-message.tsx';
import { FidelityMark } from './fidelity.tsx';
import { KeptCard } from '../kept/lazy.tsx';
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
  const about = readQuestionMessage(node.content);
  // A reply that reached its limit is gone on with in the reader's language.
  const isAutomatic = [CONTINUE_MESSAGE, t('reply.early.continue')].includes(node.content);
  const { edit } = useTurnActions(projectId, branch);
  const shown = useRef<HTMLElement>(null);
  const write = (text: string): void => {
    setDraft(text);
    writeEdit(node.id, text === node.content ? null : text, draft);
  };
  const start = (text: string): void => {
    setEditOpen(node.id, true);
    setIsFresh(true);
    setDraft(text);
  };
  const forget = (from: string | null): void => {
    setEditOpen(node.id, false);
    writeEdit(node.id, null, from);
  };
  /** Removing the field would lose the keyboard focus: it returns to the button that opened it. */
  const leave = (): void => {
    setEditOpen(node.id, false);
    flushSync(() => setDraft(null));
    focusEdit();
  };
  const focusEdit = (): void =>
    shown.current?.querySelector<HTMLElement>(`[aria-label="${CSS.escape(t('reply.edit'))}"]`)?.focus();
  if (draft !== null)
    return (
      <EditMessage
        projectId={projectId}
        branch={branch}
        node={node}
        text={draft}
        autoFocus={isFresh}
        onWrite={write}
        onSave={async (message) => {
          const isSent = await attempt(() => edit(node.id, contentOf(message)));
          if (!isSent) return false;
          forget(draft);
          setDraft(null);
          return true;
        }}
        onLeave={leave}
        onCancel={() => {
          forget(draft);
          leave();
        }}
      />
    );
  return (
    <section
      ref={shown}
      className="user"
      role="group"
      aria-label={t('conversation.you')}
      tabIndex={-1}
      data-left-out={isLeftOut(branch, [node.id]) ? '' : undefined}
      data-highlighted={highlighted ? '' : undefined}
    >
      {isAutomatic ? (
        <Explain text={t('conversation.automatic.why')}>
          <span className="badge" tabIndex={0}>
            {t('conversation.automatic')}
          </span>
        </Explain>
      ) : null}
      <Files files={filesOf(node.contentBlocks)} project={projectId} />
      {node.content === '' ? null : (
        <Folded height={300}>
          {about === null ? null : <LongText tag="p" className="user-quote" text={about.quote} />}
          <LongText tag="p" className="user-text" text={about?.question ?? node.content} />
        </Folded>
      )}
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
              flushSync(() => forget(kept));
              focusEdit();
            }}
          >
            {t('edit.discard')}
          </button>
        </div>
      )}
      <KeptCard projectId={projectId} nodeId={node.id} />
      <div className="user-foot">
        <ChoiceMark branch={branch} nodeIds={[node.id]} />
        <FidelityMark nodeIds={[node.id]} />
        <MessageActions
          projectId={projectId}
          branch={branch}
          node={node}
          first={node}
          answers={null}
          text={node.content}
          nodeIds={[node.id]}
          onEdit={() => start(kept ?? node.content)}
        />
      </div>
    </section>
  );
}
