import { useT } from '../../i18n/index.ts';
import { dismissRefusal, useRefusal } from '../../session/refusals.ts';

/** Why an action on a message was refused. */
export function Refusal() {
  const t = useT();
  const reason = useRefusal();
  if (reason === null) return null;
  return (
    <div className="toast" role="alert">
      <span>{reason}</span>
      <button type="button" className="button small quiet" onClick={dismissRefusal}>
        {t('dialog.close')}
      </button>
    </div>
  );
}
