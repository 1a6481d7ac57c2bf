import { useT } from '../../i18n/index.ts';
import { isComposing } from '../../parts/enter-key.ts';
import { useReturnFocus } from '../../parts/return-focus.ts';

/** What somebody did with the palette before it was there. */
export interface EarlyInput {
  readonly typed: string;
  /** Whether Enter was pressed: what is found first is wanted. */
  readonly isEntered: boolean;
}

export const NOTHING_EARLY: EarlyInput = { typed: '', isEntered: false };

interface EarlyProps {
  readonly input: EarlyInput;
  readonly onInput: (input: EarlyInput) => void;
  readonly onClose: () => void;
}

/**
 * Takes what is typed while the palette is loaded for the first time: it would go into the message that somebody was
 * writing. A dialog, so that the palette gives the focus back to what had it before.
 */
export function Early({ input, onInput, onClose }: EarlyProps) {
  const t = useT();
  useReturnFocus();
  return (
    <div className="dialog-overlay palette-early" role="dialog" aria-label={t('app.loading')} aria-busy="true">
      <input
        autoFocus
        aria-label={t('app.loading')}
        placeholder={t('app.loading')}
        value={input.typed}
        onChange={(event) => onInput({ typed: event.target.value, isEntered: false })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter' && !isComposing(event) && input.typed.trim() !== '')
            onInput({ ...input, isEntered: true });
        }}
      />
    </div>
  );
}
