import type { BranchView, MessageGroupView } from '@bough/api/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { useIsRecorded } from '../../session/gateway.ts';
import { historyQuery, nodeQuery, projectQuery } from '../../session/queries.ts';
import { formatKnownTime } from '../../view/format.ts';
import { thinkingText } from '../../view/thinking-text.ts';
import { AllowedTools } from './allowed-tools.tsx';
import { Blocks } from './blocks.tsx';
import { BranchCosts } from './branch-costs.tsx';
import { Calls, Totals } from './calls.tsx';
import { ChangeInstructions } from './change-instructions.tsx';
import { RecordedCalls } from '../exchange/recorded-calls.tsx';
import { Facts } from './facts.tsx';
import { FilesChoice } from './files-choice.tsx';
import { recordedFacts, toolsOf } from './recorded.ts';
import { ReplayChoice } from './replay-choice.tsx';
import { SavePreset } from './save-preset.tsx';
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
  const nameOf = useProviderName();
  const history = useInfiniteQuery(historyQuery(projectId, branch.id));
  const groups = useMemo(() => (history.data?.pages ?? []).flatMap((page) => page.groups), [history.data]);
  const calls = useMemo(() => groups.flatMap((group) => group.calls), [groups]);
  const isRecorded = useIsRecorded(projectId);
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  return (
    <div className="details-panel">
      <section>
        <h2>{t('details.branch')}</h2>
        <Facts
          facts={[
            [t('branch.name'), branch.name],
            [t('branch.provider'), nameOf(branch.provider)],
            [t('branch.model'), branch.model],
            [t('composer.thinking'), thinkingText(branch.thinking, t)],
            [t('composer.tools'), toolsOf(branch, branches, t)],
            ...(branch.providerTools.length === 0
              ? []
              : ([
                  [
                    t('providerTools.menu'),
                    branch.providerTools.map(({ tool }) => t(`providerTools.${tool}`)).join(', '),
                  ],
                ] as const)),
            ...recordedFacts(branch, t),
            [t('branch.systemPrompt'), branch.systemPrompt ?? t('branch.none')],
            [t('details.created'), formatKnownTime(branch.createdAt, t.locale) ?? t('time.unknown')],
          ]}
        />
        <AllowedTools projectId={projectId} branch={branch} />
        <ReplayChoice projectId={projectId} branch={branch} />
        <FilesChoice projectId={projectId} branch={branch} />
        <div className="details-actions">
          <ChangeInstructions key={branch.id} projectId={projectId} branch={branch} />
          <SavePreset branch={branch} />
          <Link
            className="button small"
            to="/p/$projectId/b/$branch/canvas"
            params={{ projectId, branch: branch.name }}
          >
            {t('canvas.title')}
          </Link>
        </div>
      </section>
      <section>
        <h2>{t('details.totals')}</h2>
        {history.isPending ? (
          <PanelSkeleton shape="facts" failures={history.failureCount} />
        ) : (
          <Totals turns={groups.length} calls={calls} />
        )}
      </section>
      <BranchCosts projectId={projectId} branchId={branch.id} />
      {nodeId === null ? (
        <p className="faint">{t('details.choose')}</p>
      ) : (
        <Message
          key={nodeId}
          isRecorded={isRecorded}
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
  isRecorded,
  projectId,
  nodeId,
  group,
}: {
  /** Whether clients talk into this project: what they sent is looked for. */
  readonly isRecorded: boolean;
  readonly projectId: string;
  readonly nodeId: string;
  readonly group: MessageGroupView | null;
}) {
  const t = useT();
  const { developer } = usePreferences();
  const nameOf = useProviderName();
  const node = useQuery(nodeQuery(projectId, nodeId));
  if (node.data === undefined)
    return node.isError ? (
      <Problem message={node.error.message} />
    ) : (
      <PanelSkeleton shape="facts" failures={node.failureCount} />
    );
  const { role, provider, modelUsed, createdAt, contentBlocks, isError, interrupted } = node.data.node;
  const state = isError ? t('graph.error') : interrupted ? t('graph.interrupted') : null;
  return (
    <>
      <section>
        <h2>{t('details.message')}</h2>
        <Facts
          facts={[
            [t('details.role'), state === null ? t(`role.${role}`) : `${t(`role.${role}`)}, ${state}`],
            ...(modelUsed === null
              ? []
              : ([[t('branch.model'), provider === null ? modelUsed : `${nameOf(provider)} · ${modelUsed}`]] as const)),
            [t('details.created'), formatKnownTime(createdAt, t.locale) ?? t('time.unknown')],
          ]}
        />
        <h3>{t('details.blocks')}</h3>
        <Blocks blocks={contentBlocks} developer={developer} />
      </section>
      {isRecorded && group?.turnId != null ? (
        <section>
          <h2>{t('recorded.calls')}</h2>
          <RecordedCalls projectId={projectId} turnId={group.turnId} />
        </section>
      ) : null}
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
