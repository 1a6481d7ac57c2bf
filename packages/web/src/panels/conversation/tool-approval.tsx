import { useContext, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import type { Answer } from './approvals.ts';
import { Approvals } from './approvals.ts';

/** The question whether a call may run, inside its card. */
export function ToolApproval({ id, name }: { readonly id: string; readonly name: string }) {
  const t = useT();
  const { answer } = useContext(Approvals);
  const [reason, setReason] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const give = async (given: Answer): Promise<void> => {
    if (busy) return;
    setBusy(true);
    const hadFocus = card.current?.contains(document.activeElement) === true;
    // An answered question leaves the page, and the keyboard focus with it: on to the next one, or to the composer.
    const next = [...document.querySelectorAll<HTMLElement>('.tool-approval')].find((each) => each !== card.current);
    const isTaken = await answer(id, given);
    if (!isTaken) setBusy(false);
    else if (hadFocus) (next ?? document.getElementById('composer'))?.focus();
  };
  return (
    // A group, not a landmark: several calls of one tool ask with the same words.
    <div
      className="tool-approval"
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={t('tool.approve.title', { name })}
      aria-busy={busy}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void give({ approve: false, ...(reason?.trim() ? { reason: reason.trim() } : {}) });
        }}
      >
        {reason === null ? null : (
          <input
            className="input"
            aria-label={t('tool.deny.reason')}
            placeholder={t('tool.deny.reason')}
            value={reason}
            maxLength={10_000}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setReason(null);
            }}
            autoFocus
          />
        )}
        {reason === null ? (
          <>
            <button
              type="button"
              className="button primary"
              data-answer="allow"
              title="Alt + Y"
              aria-keyshortcuts="Alt+Y"
              onClick={() => void give({ approve: true })}
            >
              {t('tool.approve')}
            </button>
            <button
              type="button"
              className="button"
              data-answer="always"
              title="Alt + A"
              aria-keyshortcuts="Alt+A"
              onClick={() => void give({ approve: true, always: true })}
            >
              {t('tool.approve.always')}
            </button>
            <button
              type="button"
              className="button"
              data-answer="decline"
              title="Alt + N"
              aria-keyshortcuts="Alt+N"
              onClick={() => setReason('')}
            >
              {t('tool.deny.ask')}
            </button>
          </>
        ) : (
          <>
            <button type="submit" className="button danger">
              {t('tool.deny')}
            </button>
            <button type="button" className="button quiet" onClick={() => setReason(null)}>
              {t('dialog.cancel')}
            </button>
          </>
        )}
      </form>
    </div>
  );
}
