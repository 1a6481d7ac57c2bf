import type { BranchView } from '@bough/api/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { Estimate } from '../../parts/estimate/index.tsx';
import { FidelityList } from '../../parts/fidelity-list.tsx';
import { useSettled } from '../../parts/settled.ts';
import { contextReportQuery } from '../../session/queries.ts';
import type { EnvelopeChange } from '../../view/envelope-form.ts';
import { altersContext } from '../../view/envelope-form.ts';
import type { ForkPoint } from '../../view/switch-preview.ts';
import { previewOf } from '../../view/switch-preview.ts';

interface SwitchPreviewProps extends ForkPoint {
  readonly projectId: string;
  readonly source: BranchView;
  readonly changes: EnvelopeChange;
}

/** How much of the history the chosen model would be sent, shown before the branch is created. */
export function SwitchPreview({ projectId, source, changes, fromNodeId, regenerateNodeId }: SwitchPreviewProps) {
  const t = useT();
  // By value: the changes are recomputed on every keystroke, and an equal change must not restart the wait.
  const settled = useSettled(JSON.stringify(changes));
  const target: EnvelopeChange = JSON.parse(settled);
  const wanted = altersContext(target) && target.model !== '' && source.tipId !== null;
  const context = useQuery({
    ...contextReportQuery(projectId, {
      ref: source.id,
      target,
      ...(regenerateNodeId === undefined ? {} : { regenerate: regenerateNodeId }),
    }),
    enabled: wanted,
    placeholderData: keepPreviousData,
  });
  if (!altersContext(changes) || source.tipId === null) return null;
  if (context.isError)
    return (
      <p className="notice warn" role="status">
        {context.error.message}
      </p>
    );
  if (context.data === undefined || !wanted)
    return (
      <p className="faint" role="status">
        {t('app.loading')}
      </p>
    );
  const { survives, becomesText, vanishes, lines } = previewOf(context.data.report, { fromNodeId, regenerateNodeId });
  if (lines.length === 0) return null;
  return (
    <section className="switch-preview" aria-live="polite">
      <h3>{t('branch.preview')}</h3>
      {becomesText === 0 && vanishes === 0 ? (
        <p>{t('branch.preview.same')}</p>
      ) : (
        <ul className="switch-counts">
          <li>
            <span className="fidelity-mark" data-fidelity="verbatim" />
            {t('branch.survives', { count: survives })}
          </li>
          <li>
            <span className="fidelity-mark" data-fidelity="canonical" />
            {t('branch.becomesText', { count: becomesText })}
          </li>
          <li>
            <span className="fidelity-mark" data-fidelity="dropped" />
            {t('branch.vanishes', { count: vanishes })}
          </li>
        </ul>
      )}
      <Estimate estimate={context.data.estimate} isReply={regenerateNodeId !== undefined} />
      <details>
        <summary>{t('branch.preview.list')}</summary>
        <div className="switch-lines" tabIndex={0}>
          <FidelityList lines={lines} />
        </div>
      </details>
    </section>
  );
}
