import { useT } from '../../i18n/later/index.ts';
import { formatNumber } from '../../view/format.ts';

interface GaugeProps {
  readonly used: number;
  /** How much of the window the reply may take. */
  readonly reserved: number;
  readonly window: number;
  readonly label: string;
}

/** How full the model's window is. */
export function Gauge({ used, reserved, window, label }: GaugeProps) {
  const t = useT();
  const share = (tokens: number): string => `${Math.min(100, (tokens / Math.max(1, window)) * 100)}%`;
  const text = t('context.window', { used: formatNumber(used, t.locale), window: formatNumber(window, t.locale) });
  return (
    <div className="gauge">
      <div className="gauge-head">
        <span>{label}</span>
        <span>{text}</span>
      </div>
      <div
        className="gauge-bar"
        role="meter"
        aria-label={t('context.title')}
        aria-valuemin={0}
        aria-valuemax={window}
        aria-valuenow={Math.min(used, window)}
        aria-valuetext={text}
      >
        <span
          className="gauge-used"
          data-full={used + reserved > window ? '' : undefined}
          style={{ width: share(used) }}
        />
        <span className="gauge-reserved" style={{ width: share(Math.min(reserved, Math.max(0, window - used))) }} />
      </div>
      <p className="gauge-foot">{t('context.reserved', { count: formatNumber(reserved, t.locale) })}</p>
    </div>
  );
}
