import { useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { Prose } from '../../parts/prose.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { attempt } from '../../session/refusals.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { Approvals } from './approvals.ts';
import { Reasoning } from './reasoning.tsx';
import { ToolRun } from './tool-run.tsx';
import { ToolTimes } from './tool-times.ts';
import { Waiting } from './waiting.tsx';

/** A reply while it arrives. Shows the same segments as the stored one, so that nothing moves when it ends. */
export function LiveReply({ projectId, live }: { readonly projectId: string; readonly live: LiveTurn }) {
  const t = useT();
  const { segments } = live.segmentation;
  const { turnId, approvals: asked } = live;
  const approvals = useMemo(
    (): Approvals => ({
      waiting: new Set(asked.map(({ toolCallId }) => toolCallId)),
      answer: (toolCallId, answer) =>
        attempt(async () => void (await client.approve(projectId, { turnId, toolCallId, ...answer }))),
    }),
    [projectId, turnId, asked],
  );
  return (
    <Approvals value={approvals}>
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
          <p className="visually-hidden" role="status">
            {asked.map(({ name }) => t('tool.approve.title', { name })).join(' ')}
          </p>
        </div>
      </ToolTimes>
    </Approvals>
  );
}
