import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TrashIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { annotate } from '../../session/annotations.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import type { KeptProps } from './index.tsx';
import { useKept } from './use-kept.ts';

/** A private note and the bookmarks of a message. */
export function KeptDialog({ projectId, nodeId, onClose }: KeptProps & { readonly onClose: () => void }) {
  const t = useT();
  const { note, bookmarks } = useKept(projectId, nodeId);
  const [text, setText] = useState(note ?? '');
  const [name, setName] = useState('');
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const { busy, problem, run } = useAttempt();
  const save = (): Promise<boolean> =>
    run(async () => {
      for (const gone of removed) await annotate(projectId, nodeId, { removeBookmark: gone });
      const added = name.trim() === '' ? {} : { addBookmark: name.trim() };
      await annotate(projectId, nodeId, { note: text.trim() === '' ? null : text, ...added });
      onClose();
    });
  return (
    <Dialog open title={t('kept.edit.title')} onClose={onClose}>
      <DialogForm save={t('kept.save')} busy={busy} problem={problem} onSave={save} onClose={onClose}>
        <label className="field">
          <span>{t('kept.note')}</span>
          <textarea
            className="input"
            rows={5}
            maxLength={20_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <small className="faint">{t('kept.private')}</small>
        </label>
        {bookmarks.length === 0 ? null : (
          <ul className="kept-bookmarks" aria-label={t('kept.bookmarks')}>
            {bookmarks
              .filter((one) => !removed.includes(one))
              .map((one) => (
                <li key={one}>
                  <span dir="auto">{one}</span>
                  <IconButton
                    label={t('kept.bookmark.remove', { name: one })}
                    onClick={() => setRemoved([...removed, one])}
                  >
                    <TrashIcon />
                  </IconButton>
                </li>
              ))}
          </ul>
        )}
        <label className="field">
          <span>{t('kept.bookmark')}</span>
          <input
            className="input"
            maxLength={200}
            value={name}
            placeholder={t('kept.bookmark.name')}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
      </DialogForm>
    </Dialog>
  );
}
