import type { BranchView } from '@bough/api/client';
import { curlOf } from '@bough/api/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Estimate } from '../../parts/estimate/index.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { useSettled } from '../../parts/settled.ts';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { draftOf, useDraftFiles } from '../../session/attachments.ts';
import { useDraft } from '../../session/drafts.ts';
import { useProviderName } from '../../session/provider-name.ts';
import { contextQuery, providersQuery } from '../../session/queries.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { contentOf, isBlank } from '../../view/message-content.ts';
import { pretty } from '../../view/diff.ts';
import { keyHeaders } from '../../view/key-headers.ts';
import { Difference } from './difference.tsx';
import { Gauge } from './gauge.tsx';
import { Messages } from './messages.tsx';
import { Repairs } from './repairs.tsx';
import './context.css';

/** Exactly what the next request will contain, before it is sent. */
export function ContextPanel({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const draft = useSettled(useDraft(projectId, branch.id), 500).trim();
  const files = useDraftFiles(draftOf(projectId, branch.id));
  const written = { text: draft, files };
  const [target, setTarget] = useState<{ readonly provider: string; readonly model: string } | null>(null);
  const wanted = useSettled(target);
  const providers = useQuery(providersQuery);
  const { goTo } = useTurnActions(projectId, branch);
  const context = useQuery({
    ...contextQuery(projectId, {
      ref: branch.id,
      ...(isBlank(written) ? {} : { message: contentOf(written) }),
      ...(wanted === null || wanted.model.trim() === '' ? {} : { target: wanted }),
    }),
    placeholderData: keepPreviousData,
  });
  const { data } = context;
  const nameOf = useProviderName();
  const known = providers.data?.providers ?? [];
  return (
    <div className="context-panel" aria-busy={context.isFetching}>
      <h2>{t('context.title')}</h2>
      {context.isError ? (
        <p className="notice warn" role="alert">
          {context.error.message}
        </p>
      ) : null}
      {context.isPending ? <PanelSkeleton shape="context" failures={context.failureCount} /> : null}
      {data === undefined ? null : (
        <>
          <Gauge
            used={data.estimatedTokens}
            reserved={data.maxTokens}
            window={data.contextWindow}
            label={`${nameOf(data.provider)} · ${data.model}`}
          />
          <Estimate estimate={data.estimate} />
          {isBlank(written) ? null : <p className="badge">{t('context.draft')}</p>}
          <details
            className="what-if"
            onToggle={(event) =>
              setTarget(event.currentTarget.open ? { provider: branch.provider, model: branch.model } : null)
            }
          >
            <summary>{t('context.whatIf')}</summary>
            {target === null ? null : (
              <ModelFields providers={known} provider={target.provider} model={target.model} onChange={setTarget} />
            )}
          </details>
          <Messages
            projectId={projectId}
            branch={branch}
            lines={data.report}
            onOpen={(nodeId) => void goTo(branch.name, nodeId)}
          />
          <Repairs violations={data.violations} notes={data.notes} />
          <section>
            <details>
              <summary>{t('context.diff')}</summary>
              <Difference before={data.previousBody} after={data.request.body} />
            </details>
            <details>
              <summary>{t('context.json')}</summary>
              <p className="request-line">
                <code>
                  {data.request.method} {data.request.url}
                </code>
              </p>
              <LongText tag="pre" className="raw" text={pretty(data.request.body)} />
            </details>
            <div className="context-actions">
              <CopyButton label={t('context.copy')} text={() => pretty(data.request.body)} />
              <CopyButton
                label={t('context.curl')}
                text={() =>
                  curlOf(data.request, keyHeaders(known.find(({ id }) => id === data.provider)?.protocol ?? ''))
                }
              />
            </div>
          </section>
        </>
      )}
    </div>
  );
}
