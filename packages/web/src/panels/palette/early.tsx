import { useT } from '../../i18n/index.ts';
import { useReturnFocus } from '../../parts/return-focus.ts';

interface EarlyProps {
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly onClose: () => void;
}

/**
 * Takes what is typed while the palette is loaded for the first time: it would go into the message that somebody was
 * writing. A dialog, so that the palette gives the focus back to what had it before.
 */
export function Early({ typed, onTyped, onClose }: EarlyProps) {
  const t = useT();
  useReturnFocus();
  return (
    <div className="dialog-overlay palette-early" role="dialog" aria-label={t('app.loading')} aria-busy="true">
      <input
        autoFocus
        aria-label={t('app.loading')}
        placeholder={t('app.loading')}
        value={typed}
        onChange={(event) => onTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
        }}
      />
    </div>
  );
}
