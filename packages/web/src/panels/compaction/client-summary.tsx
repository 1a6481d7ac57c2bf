import type { BranchView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { branchLeadingTo } from '../../session/find-node.ts';
import { attempt } from '../../session/refusals.ts';
import { clientLabel } from '../../view/client-label.ts';
import './compaction.css';

interface ClientSummaryProps {
  readonly projectId: string;
  readonly recorded: NonNullable<BranchView['recorded']>;
}

/** Says where a client, not Bough, put a summary in place of its history: what it wrote stands below, as a message. */
export function ClientSummary({ projectId, recorded: { client, beside } }: ClientSummaryProps) {
  const t = useT();
  const heading = useId();
  const navigate = useNavigate();
  const show = (node: string): void =>
    void attempt(async () => {
      const branch = await branchLeadingTo(projectId, node);
      if (branch !== null)
        await navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch }, search: { node } });
    });
  return (
    <section className="summary-card" aria-labelledby={heading}>
      <header>
        <p id={heading} className="summary-title">
          {t('summary.client.title')}
        </p>
        <p>{t('summary.client.lead', { client: clientLabel(client, t) })}</p>
      </header>
      {beside === null ? null : (
        <footer>
          <button type="button" className="button" onClick={() => show(beside)}>
            {t('summary.client.open')}
          </button>
        </footer>
      )}
    </section>
  );
}
