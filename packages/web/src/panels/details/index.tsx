import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { historyQuery, nodeQuery } from '../../session/queries.ts';
import { formatTime } from '../../view/format.ts';
import { AllowedTools } from './allowed-tools.tsx';
import { Blocks } from './blocks.tsx';
import { Calls, Totals } from './calls.tsx';
import { ChangeInstructions } from './change-instructions.tsx';
import { Facts } from './facts.tsx';
import { ReplayChoice } from './replay-choice.tsx';
import '../context/context.css';
import './details.css';

interface DetailsPanelProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly nodeId: string | null;
}

/** What a branch is locked to and what it has used; and what the selected message consists of. */
export function DetailsPanel({ projectId, branch, nodeId }: DetailsPanelProps) {
  const t = useT();
  const { developer } = usePreferences();
  const history = useInfiniteQuery(historyQuery(projectId, branch.id));
  const groups = useMemo(() => (history.data?.pages ?? []).flatMap((page) => page.groups), [history.data]);
  const calls = useMemo(() => groups.flatMap((group) => group.calls), [groups]);
  const thinking =
    typeof branch.thinking === 'string'
      ? t(`thinking.${branch.thinking}`)
      : t('context.node.tokens', { count: branch.thinking.budgetTokens });
  return (
    <div className="details-panel">
      <section>
        <h2>{t('details.branch')}</h2>
        <Facts
          facts={[
            [t('branch.name'), branch.name],
            [t('branch.provider'), branch.provider],
            [t('branch.model'), branch.model],
            [t('composer.thinking'), thinking],
            [t('composer.tools'), branch.tools.length === 0 ? t('branch.none') : branch.tools.join(', ')],
            [t('branch.systemPrompt'), branch.systemPrompt ?? t('branch.none')],
            [t('details.created'), formatTime(branch.createdAt, t.locale)],
          ]}
        />
        <AllowedTools projectId={projectId} branch={branch} />
        <ReplayChoice projectId={projectId} branch={branch} />
        <ChangeInstructions key={branch.id} projectId={projectId} branch={branch} />
      </section>
      <section>
        <h2>{t('details.totals')}</h2>
        <Totals turns={groups.length} calls={calls} />
      </section>
      {nodeId === null ? (
        <p className="faint">{t('details.choose')}</p>
      ) : (
        <Message
          key={nodeId}
          projectId={projectId}
          nodeId={nodeId}
          group={groups.find((group) => holds(group, nodeId)) ?? null}
        />
      )}
      <label className="check-line">
        <input
          type="checkbox"
          checked={developer}
          onChange={(event) => setPreferences({ developer: event.target.checked })}
        />{' '}
        {t('details.developer')}
      </label>
    </div>
  );
}

function Message({
  projectId,
  nodeId,
  group,
}: {
  readonly projectId: string;
  readonly nodeId: string;
  readonly group: MessageGroupView | null;
}) {
  const t = useT();
  const { developer } = usePreferences();
  const node = useQuery(nodeQuery(projectId, nodeId));
  if (node.data === undefined) return node.isError ? <Problem message={node.error.message} /> : null;
  const { role, provider, modelUsed, createdAt, contentBlocks, isError, interrupted } = node.data.node;
  const state = isError ? t('graph.error') : interrupted ? t('graph.interrupted') : null;
  return (
    <>
      <section>
        <h2>{t('details.message')}</h2>
        <Facts
          facts={[
            [t('details.role'), state === null ? t(`role.${role}`) : `${t(`role.${role}`)}, ${state}`],
            ...(modelUsed === null ? [] : ([[t('branch.model'), `${provider ?? ''} / ${modelUsed}`]] as const)),
            [t('details.created'), formatTime(createdAt, t.locale)],
          ]}
        />
        <h3>{t('details.blocks')}</h3>
        <Blocks blocks={contentBlocks} developer={developer} />
      </section>
      {developer && group !== null && group.calls.length > 0 ? (
        <section>
          <h2>{t('details.calls')}</h2>
          <Calls calls={group.calls} />
        </section>
      ) : null}
    </>
  );
}

function holds(group: MessageGroupView, nodeId: string): boolean {
  return group.user?.id === nodeId || group.reply.some((node) => node.id === nodeId);
}
