import { useT } from '../../i18n/index.ts';
import { Prose } from '../../parts/prose.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { attempt } from '../../session/refusals.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { Reasoning } from './reasoning.tsx';
import { briefly, ToolRun } from './tool-run.tsx';
import { ToolTimes } from './tool-times.ts';
import { Waiting } from './waiting.tsx';

/** A reply while it arrives. Shows the same segments as the stored one, so that nothing moves when it ends. */
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
    <ToolTimes value={live.toolTimes}>
      <div className="live-reply" aria-busy={live.status === 'running'}>
        {segments.map((segment, index) => {
          const isLast = index === segments.length - 1;
          if (segment.kind === 'reasoning') {
            return (
              <Reasoning
                key={index}
                items={segment.items}
                nodes={[]}
                durationMs={null}
                projectId={projectId}
                live={isLast && live.status === 'running'}
              />
            );
          }
          return segment.items.map((item, place) =>
            item.type === 'think' ? null : item.type === 'tool' ? (
              <ToolRun key={`${index} ${item.id}`} item={item} />
            ) : (
              <Prose key={`${index} ${place}`} text={item.text} streaming={isLast} />
            ),
          );
        })}
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
        {live.waiting === null || live.status !== 'running' ? null : <Waiting {...live.waiting} />}
        {live.connected ? null : (
          <p className="notice warn" role="status">
            {t('connection.lost')}
          </p>
        )}
        {live.problem === null ? null : <Problem message={live.problem} />}
      </div>
    </ToolTimes>
  );
}
