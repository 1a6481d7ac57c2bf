import { useT } from '../../i18n/index.ts';
import { excerptOf } from '../../view/excerpt.ts';

interface OtherDraftProps {
  readonly text: string;
  readonly onTake: () => void;
  readonly onDismiss: () => void;
}

/** The same draft was written differently in another tab: nothing of either is lost, and the reader chooses. */
export function OtherDraft({ text, onTake, onDismiss }: OtherDraftProps) {
  const t = useT();
  return (
    <div className="other-draft" role="status">
      <p>
        {t('draft.other')}{' '}
        <q className="other-draft-text" dir="auto" title={text}>
          {excerptOf(text)}
        </q>
      </p>
      <button type="button" className="button small" onClick={onTake}>
        {t('draft.other.take')}
      </button>
      <button type="button" className="button small quiet" onClick={onDismiss}>
        {t('draft.other.dismiss')}
      </button>
    </div>
  );
}
