import { useT } from '../../i18n/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { attempt } from '../../session/refusals.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { briefly } from './tool-run.tsx';

/** What is shown below a reply only while it arrives: questions, waiting, a lost connection. */
export function LiveReply({ projectId, live }: { readonly projectId: string; readonly live: LiveTurn }) {
  const t = useT();
  const { segments } = live.segmentation;
  const parameters = new Map(
    segments.flatMap(({ items }) =>
      items.flatMap((item) => (item.type === 'tool' ? [[item.id, item.parameters] as const] : [])),
    ),
  );
  const decide = (toolCallId: string, approve: boolean): Promise<boolean> =>
    attempt(async () => void (await client.approve(projectId, { turnId: live.turnId, toolCallId, approve })));
  return (
    <div className="live-reply">
      {live.approvals.map(({ toolCallId, name }) => (
        <div
          key={toolCallId}
          className="notice warn approval"
          role="alertdialog"
          aria-label={t('tool.approve.title', { name })}
        >
          <p>
            {t('tool.approve.title', { name })} <code>{briefly(parameters.get(toolCallId) ?? {})}</code>
          </p>
          <button type="button" className="button primary" onClick={() => void decide(toolCallId, true)}>
            {t('tool.approve')}
          </button>
          <button type="button" className="button" onClick={() => void decide(toolCallId, false)}>
            {t('tool.deny')}
          </button>
        </div>
      ))}
      {live.status === 'running' && segments.length === 0 ? (
        <div className="waiting" role="status">
          <span className="visually-hidden">{t('app.loading')}</span>
          <i />
          <i />
          <i />
        </div>
      ) : null}
      {live.connected ? null : (
        <p className="notice warn" role="status">
          {t('connection.lost')}
        </p>
      )}
      {live.problem === null ? null : <Problem message={live.problem} />}
    </div>
  );
}
