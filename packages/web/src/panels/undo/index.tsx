import { useNavigate } from '@tanstack/react-router';
import type { Translator } from '../../i18n/index.ts';
import { useT } from '../../i18n/index.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { keepFocus } from '../../parts/keep-focus.ts';
import { IconButton } from '../../parts/tooltip.tsx';
import { attempt } from '../../session/refusals.ts';
import type { Undoable } from '../../session/trash.ts';
import { dismissUndo, undo, useUndoable } from '../../session/trash.ts';
import { messageCount } from '../../view/deletion.ts';
import './undo.css';

/** Says for a while what was just deleted, and takes it back. */
export function UndoNotice() {
  const t = useT();
  const navigate = useNavigate();
  const undoable = useUndoable();
  if (undoable === null) return null;
  const takeBack = async (): Promise<void> => {
    const { kind, projectId } = await undo(undoable);
    // The reader was led away from it when it was deleted.
    if (kind === 'project' && undoable.more === undefined)
      await navigate({ to: '/p/$projectId', params: { projectId } });
    if (kind === 'branch' && undoable.name !== undefined)
      await navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch: undoable.name } });
  };
  return (
    <div className="undo" role="status" onFocus={({ target }) => keepFocus(target)}>
      <span>{sentenceOf(undoable, t)}</span>
      <button type="button" className="button small" onClick={() => void attempt(takeBack)}>
        {t('undo.button')}
      </button>
      <IconButton label={t('dialog.close')} onClick={dismissUndo}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

function sentenceOf({ kind, name = '', messages = 0, answers, more, isQuestion }: Undoable, t: Translator): string {
  if (kind === 'project' && more !== undefined) return t('undo.projects', { count: more.length + 1 });
  if (kind === 'project') return t('undo.project', { name });
  if (answers !== undefined) return t('undo.answers', { count: answers });
  if (isQuestion === true) return t('undo.question');
  if (kind === 'branch') return t('undo.branch', { name });
  return t('undo.messages', { messages: messageCount(messages, t) });
}
