import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/later/index.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { PanelSkeleton } from '../parts/skeleton.tsx';
import { diagnosticsQuery } from '../session/queries.ts';
import { availabilityRows } from '../view/diagnostics.ts';
import { formatNumber } from '../view/format.ts';
import { reasonText } from '../view/reasons.ts';
import { AvailabilityChart, AvailabilityTable } from './diagnostics/availability.tsx';
import { CacheFindings } from './diagnostics/cache-findings.tsx';
import { CallTable } from './diagnostics/calls.tsx';
import { Costs } from './diagnostics/costs.tsx';
import { Judged } from './diagnostics/judged.tsx';
import { GatewayCalls } from './diagnostics/gateway.tsx';
import './diagnostics/diagnostics.css';

export function Diagnostics() {
  const t = useT();
  const diagnostics = useQuery(diagnosticsQuery);
  const { data } = diagnostics;
  const rows = availabilityRows(data?.availability ?? []);
  return (
    <Page title={t('diagnostics.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner diagnostics">
          {diagnostics.isError ? <Problem message={diagnostics.error.message} /> : null}
          {diagnostics.isPending ? <PanelSkeleton shape="tables" failures={diagnostics.failureCount} /> : null}
          {data === undefined ? null : (
            <>
              <section>
                <h2>{t('diagnostics.availability')}</h2>
                {rows.length === 0 ? (
                  <p className="faint">{t('diagnostics.none')}</p>
                ) : (
                  <>
                    <AvailabilityChart rows={rows} />
                    <AvailabilityTable rows={rows} />
                  </>
                )}
              </section>
              <section>
                <h2>{t('diagnostics.calls')}</h2>
                {data.calls.length === 0 ? (
                  <p className="faint">{t('diagnostics.none')}</p>
                ) : (
                  <CallTable calls={data.calls} />
                )}
              </section>
              <Costs />
              <CacheFindings cache={data.cache} />
              <Judged />
              <GatewayCalls {...data} />
              <section>
                <h2>{t('diagnostics.drops')}</h2>
                <p className="faint">{t('diagnostics.sinceStart')}</p>
                {data.drops.length === 0 ? (
                  <p className="faint">{t('diagnostics.none')}</p>
                ) : (
                  <table className="table">
                    <thead>
                      <tr>
                        <th scope="col">{t('diagnostics.reason')}</th>
                        <th scope="col" className="number">
                          {t('diagnostics.times')}
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {data.drops
                        .toSorted((a, b) => b.count - a.count)
                        .map(({ reason, count }) => (
                          <tr key={reason}>
                            <td>{reasonText(reason, t)}</td>
                            <td className="number">{formatNumber(count, t.locale)}</td>
                          </tr>
                        ))}
                    </tbody>
                  </table>
                )}
              </section>
              <section>
                <h2>{t('diagnostics.rejections')}</h2>
                {data.rejections === 0 ? (
                  <p className="notice good">{t('diagnostics.rejections.zero')}</p>
                ) : (
                  <p className="notice danger">{formatNumber(data.rejections, t.locale)}</p>
                )}
              </section>
            </>
          )}
        </div>
      </div>
    </Page>
  );
}
