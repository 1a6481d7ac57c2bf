import { useT } from '../../i18n/index.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { formatNumber } from '../../view/format.ts';

interface PastesProps {
  readonly pastes: readonly string[];
  readonly onExpand: (index: number) => void;
  readonly onRemove: (index: number) => void;
}

/** Long pasted texts: kept apart from what is being written, and sent below it. */
export function Pastes({ pastes, onExpand, onRemove }: PastesProps) {
  const t = useT();
  if (pastes.length === 0) return null;
  return (
    <ul className="pastes">
      {pastes.map((paste, index) => (
        <li key={index}>
          <button type="button" className="paste" title={t('composer.pasted.expand')} onClick={() => onExpand(index)}>
            <span>{paste.slice(0, 80)}</span>
            <small>{t('composer.pasted', { count: formatNumber(paste.length, t.locale) })}</small>
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={t('composer.pasted.remove')}
            onClick={() => onRemove(index)}
          >
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}
