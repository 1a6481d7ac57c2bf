import type { BranchView } from '@bough/api/client';
import { curlOf } from '@bough/api/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FidelityList } from '../../parts/fidelity-list.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { useSettled } from '../../parts/settled.ts';
import { useDraft } from '../../session/drafts.ts';
import { contextQuery, providersQuery } from '../../session/queries.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { pretty } from '../../view/diff.ts';
import { keyHeaders } from '../../view/key-headers.ts';
import { Difference } from './difference.tsx';
import { Gauge } from './gauge.tsx';
import { Repairs } from './repairs.tsx';
import './context.css';

/** Exactly what the next request will contain, before it is sent. */
export function ContextPanel({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const draft = useSettled(useDraft(projectId, branch.id), 500).trim();
  const [target, setTarget] = useState<{ readonly provider: string; readonly model: string } | null>(null);
  const wanted = useSettled(target);
  const providers = useQuery(providersQuery);
  const { goTo } = useTurnActions(projectId, branch);
  const context = useQuery({
    ...contextQuery(projectId, {
      ref: branch.id,
      ...(draft === '' ? {} : { message: draft }),
      ...(wanted === null || wanted.model.trim() === '' ? {} : { target: wanted }),
    }),
    placeholderData: keepPreviousData,
  });
  const { data } = context;
  const known = providers.data?.providers ?? [];
  return (
    <div className="context-panel" aria-busy={context.isFetching}>
      <h2>{t('context.title')}</h2>
      {context.isError ? (
        <p className="notice warn" role="alert">
          {context.error.message}
        </p>
      ) : null}
      {data === undefined ? null : (
        <>
          <Gauge
            used={data.estimatedTokens}
            reserved={data.maxTokens}
            window={data.contextWindow}
            label={`${data.provider} / ${data.model}`}
          />
          {draft === '' ? null : <p className="badge">{t('context.draft')}</p>}
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
          <section>
            <h3>{t('context.nodes')}</h3>
            <FidelityList lines={data.report} onChoose={(nodeId) => void goTo(branch.name, nodeId)} />
          </section>
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
