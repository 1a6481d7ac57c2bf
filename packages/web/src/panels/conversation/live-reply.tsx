import { useT } from '../../i18n/index.ts';
import { Problem } from '../../parts/problem.tsx';
import type { LiveTurn } from '../../view/live-turn.ts';
import { Waiting } from './waiting.tsx';

/** What is shown below a reply only while it arrives: waiting, a lost connection. */
export function LiveReply({ live }: { readonly live: LiveTurn }) {
  const t = useT();
  const { segments } = live.segmentation;
  return (
    <div className="live-reply">
      {live.status === 'running' && segments.length === 0 ? (
        <div className="waiting" role="status">
          <span className="visually-hidden">{t('app.loading')}</span>
          <i />
          <i />
          <i />
        </div>
      ) : null}
      {live.waiting === null || live.status !== 'running' ? null : (
        <Waiting key={live.waiting.until} {...live.waiting} />
      )}
      {live.connected ? null : (
        <p className="notice warn" role="status">
          {t('connection.lost')}
        </p>
      )}
      {live.problem === null ? null : <Problem message={live.problem} />}
      <p className="visually-hidden" role="status">
        {live.approvals.map(({ name }) => t('tool.approve.title', { name })).join(' ')}
      </p>
    </div>
  );
}
