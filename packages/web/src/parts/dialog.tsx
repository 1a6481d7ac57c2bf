import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useT } from '../i18n/index.ts';
import { useReturnFocus } from './return-focus.ts';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ open, onClose, ...content }: DialogProps) {
  return (
    <Radix.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Radix.Portal>
        <Radix.Overlay className="dialog-overlay" />
        <Content {...content} />
      </Radix.Portal>
    </Radix.Root>
  );
}

function Content({ title, description, wide = false, children }: Omit<DialogProps, 'open' | 'onClose'>) {
  const returnFocus = useReturnFocus();
  return (
    <Radix.Content
      className={wide ? 'dialog wide' : 'dialog'}
      onOpenAutoFocus={focusChosen}
      onCloseAutoFocus={returnFocus}
      {...(description === undefined ? { 'aria-describedby': undefined } : {})}
    >
      <Radix.Title asChild>
        <h2>{title}</h2>
      </Radix.Title>
      {description === undefined ? null : <Radix.Description>{description}</Radix.Description>}
      {children}
    </Radix.Content>
  );
}

/**
 * Of several radio buttons, the chosen one has the keyboard, as it has with Tab: a space would choose the first
 * instead.
 */
function focusChosen(event: Event): void {
  if (!(event.target instanceof Element)) return;
  const first = event.target.querySelector<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]');
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio' || first.checked) return;
  const chosen = event.target.querySelector<HTMLElement>(`input[type="radio"][name="${first.name}"]:checked`);
  if (chosen === null) return;
  event.preventDefault();
  chosen.focus();
}

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly question: ReactNode;
  /** What the button does, in its own words. */
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm({ open, title, question, confirm, onConfirm, onClose }: ConfirmProps) {
  const t = useT();
  return (
    <Dialog open={open} onClose={onClose} title={title} description={question}>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        <button
          type="button"
          className="button danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {confirm}
        </button>
      </div>
    </Dialog>
  );
}
