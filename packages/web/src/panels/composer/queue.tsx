import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.ts';
import { isComposing, isSendKey } from '../../parts/enter-key.ts';
import { CloseIcon, EditIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import type { BranchKey, QueuedMessage } from '../../session/queue.ts';
import { changeQueued, heldDraft, holdQueued, releaseQueued, removeQueued } from '../../session/queue.ts';

interface QueueProps {
  readonly branch: BranchKey;
  readonly queue: readonly QueuedMessage[];
  /** A message was removed, and with it the button that had the keyboard focus. */
  readonly onEmptied: () => void;
}

/** What waits to be sent, in order: each message becomes a turn of its own. */
export function Queue({ branch, queue, onEmptied }: QueueProps) {
  const t = useT();
  if (queue.length === 0) return null;
  return (
    <div className="queue">
      <p className="queue-title">{t('composer.queued')}</p>
      <ol aria-label={t('composer.queued')}>
        {queue.map((message) => (
          <Queued key={message.id} branch={branch} message={message} onRemoved={onEmptied} />
        ))}
      </ol>
    </div>
  );
}

function Queued({
  branch,
  message,
  onRemoved,
}: {
  readonly branch: BranchKey;
  readonly message: QueuedMessage;
  readonly onRemoved: () => void;
}) {
  const t = useT();
  const { id, text, files, problem } = message;
  const [draft, setDraft] = useState(() => heldDraft(id));
  const row = useRef<HTMLLIElement>(null);
  const write = (next: string): void => {
    holdQueued(id, next);
    setDraft(next);
  };
  const leave = (): void => {
    releaseQueued(id);
    flushSync(() => setDraft(null));
    row.current?.querySelector('button')?.focus();
  };
  const save = (): void => {
    if (draft === null || draft.trim() === '') return;
    if (draft === text) leave();
    else {
      changeQueued(branch, id, draft.trim());
      onRemoved();
    }
  };
  return (
    <li className="queued" ref={row}>
      {draft === null ? (
        <span className="queued-text" title={text} dir="auto">
          {[...files.map(({ name }) => name), text].filter((part) => part !== '').join(' · ')}
        </span>
      ) : (
        <textarea
          className="input queued-edit"
          dir="auto"
          aria-label={t('composer.queued.edit')}
          rows={Math.min(6, draft.split('\n').length)}
          value={draft}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !isComposing(event)) leave();
            if (!isSendKey(event)) return;
            event.preventDefault();
            save();
          }}
          autoFocus
        />
      )}
      {draft === null ? (
        <IconButton label={t('composer.queued.edit')} onClick={() => write(text)}>
          <EditIcon />
        </IconButton>
      ) : (
        <button type="button" className="button small" onClick={save} disabled={draft.trim() === ''}>
          {t('composer.queued.save')}
        </button>
      )}
      {problem === undefined || draft !== null ? null : (
        <button type="button" className="button small" onClick={() => changeQueued(branch, id, text)}>
          {t('reply.retry')}
        </button>
      )}
      <IconButton
        label={t('composer.queued.remove')}
        onClick={() => {
          removeQueued(branch, id);
          onRemoved();
        }}
      >
        <CloseIcon />
      </IconButton>
      {problem === undefined ? null : <p className="queued-problem">{problem}</p>}
    </li>
  );
}
