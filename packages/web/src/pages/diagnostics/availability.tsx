import { useT } from '../../i18n/later/index.ts';
import { useProviderName } from '../../session/provider-name.ts';
import type { AvailabilityRow } from '../../view/diagnostics.ts';
import { AVAILABILITIES } from '../../view/diagnostics.ts';
import { formatNumber } from '../../view/format.ts';

/** One bar per model, divided by how much of its reasoning could be read. The table below says the same in numbers. */
export function AvailabilityChart({ rows }: { readonly rows: readonly AvailabilityRow[] }) {
  const t = useT();
  const nameOf = useProviderName();
  return (
    <figure className="chart">
      <div role="img" aria-label={t('diagnostics.availability')}>
        {rows.map((row) => (
          <div key={`${row.provider} ${row.model}`} className="chart-row">
            <span>
              {row.model} <span className="chart-provider">{nameOf(row.provider)}</span>
            </span>
            <svg viewBox={`0 0 ${row.total} 1`} preserveAspectRatio="none">
              {partsOf(row).map(({ name, from, count }) => (
                <rect key={name} x={from} width={count} height={1} data-availability={name} />
              ))}
            </svg>
          </div>
        ))}
      </div>
      <figcaption className="legend">
        {AVAILABILITIES.map((name) => (
          <span key={name}>
            <i data-availability={name} />
            {t(`availability.${name}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function partsOf({ counts }: AvailabilityRow) {
  let from = 0;
  return AVAILABILITIES.map((name) => {
    const part = { name, from, count: counts[name] };
    from += counts[name];
    return part;
  }).filter(({ count }) => count > 0);
}

export function AvailabilityTable({ rows }: { readonly rows: readonly AvailabilityRow[] }) {
  const t = useT();
  const nameOf = useProviderName();
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t('diagnostics.availability')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('diagnostics.provider')}</th>
            <th scope="col">{t('diagnostics.model')}</th>
            {AVAILABILITIES.map((name) => (
              <th key={name} scope="col" className="number">
                {t(`availability.${name}`)}
              </th>
            ))}
            <th scope="col" className="number">
              {t('diagnostics.replies')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ provider, model, counts, total }) => (
            <tr key={`${provider} ${model}`}>
              <td>{nameOf(provider)}</td>
              <td>{model}</td>
              {AVAILABILITIES.map((name) => (
                <td key={name} className="number" data-zero={counts[name] === 0 ? '' : undefined}>
                  {formatNumber(counts[name], t.locale)}
                </td>
              ))}
              <td className="number">{formatNumber(total, t.locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
