import type { QuestionSetView } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/later/index.ts';
import { formatTime } from '../../view/format.ts';
import { modelsText, progressText, spentText, stateKey } from '../../view/rounds.ts';
import '../diagnostics/diagnostics.css';

/** The rounds of a set over time, the newest first. */
export function RoundList({ set }: { readonly set: QuestionSetView }) {
  const t = useT();
  return (
    <div className="table-scroll sets-scroll" tabIndex={0} role="region" aria-label={t('rounds.title')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('rounds.begun')}</th>
            <th scope="col">{t('rounds.models')}</th>
            <th scope="col">{t('rounds.state')}</th>
            <th scope="col">{t('rounds.answers')}</th>
            <th scope="col" className="number">
              {t('rounds.spent')}
            </th>
          </tr>
        </thead>
        <tbody>
          {set.rounds.toReversed().map((round) => (
            <tr key={round.id}>
              <th scope="row">
                <Link to="/question-sets/$setId/rounds/$roundId" params={{ setId: set.id, roundId: round.id }}>
                  {formatTime(round.createdAt, t.locale)}
                </Link>
              </th>
              <td>{modelsText(round)}</td>
              <td>{t(stateKey(round))}</td>
              <td>{progressText(round, t)}</td>
              <td className="number">{spentText(round, t)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
