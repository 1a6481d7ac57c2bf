import { useT } from '../../i18n/index.ts';
import type { AvailabilityRow } from '../../view/diagnostics.ts';
import { AVAILABILITIES } from '../../view/diagnostics.ts';
import { formatNumber } from '../../view/format.ts';

const BAR = 14;
const ROW = 40;
const WIDTH = 600;

/** One bar per model, cut by how much of its reasoning could be read. The table below says the same in numbers. */
export function AvailabilityChart({ rows }: { readonly rows: readonly AvailabilityRow[] }) {
  const t = useT();
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${rows.length * ROW}`} role="img" aria-label={t('diagnostics.availability')}>
        {rows.map((row, index) => {
          let x = 0;
          return (
            <g key={`${row.provider} ${row.model}`} transform={`translate(0 ${index * ROW})`}>
              <text y={14}>{row.model}</text>
              {AVAILABILITIES.map((name) => {
                const width = (row.counts[name] / row.total) * WIDTH;
                const bar = <rect key={name} x={x} y={20} width={width} height={BAR} data-availability={name} />;
                x += width;
                return width === 0 ? null : bar;
              })}
            </g>
          );
        })}
      </svg>
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

export function AvailabilityTable({ rows }: { readonly rows: readonly AvailabilityRow[] }) {
  const t = useT();
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
              <td>{provider}</td>
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
