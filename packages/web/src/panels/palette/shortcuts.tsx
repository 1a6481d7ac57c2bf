import { Fragment } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SHORTCUTS } from '../../view/shortcuts.ts';
import './palette.css';

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} title={t('shortcuts.title')}>
      <dl className="shortcuts">
        {SHORTCUTS.map(({ keys, label }) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index === 0 ? null : ' + '}
                  <kbd>{key}</kbd>
                </Fragment>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.close')}
        </button>
      </div>
    </Dialog>
  );
}
