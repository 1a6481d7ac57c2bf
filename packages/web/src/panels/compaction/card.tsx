import type { BranchView, SummaryView } from '@bough/api/client';
import { useId, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Folded } from '../../parts/folded.tsx';
import { Prose } from '../../parts/prose.tsx';
import { changeBranch } from '../../session/branch-changes.ts';
import { attempt } from '../../session/refusals.ts';
import { formatNumber } from '../../view/format.ts';
import { Calls } from '../details/calls.tsx';
import '../details/details.css';
import './compaction.css';

interface SummaryCardProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly summary: NonNullable<SummaryView['summary']>;
  /** Whether the messages that it stands for are shown. */
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** What the model gets in place of the messages above, which are still there to be read. */
export function SummaryCard({ projectId, branch, summary, open, onOpen }: SummaryCardProps) {
  const t = useT();
  const heading = useId();
  const [madeShown, setMadeShown] = useState(false);
  const takeBack = (): void =>
    void attempt(async () => {
      const summaries = (branch.summaries ?? []).filter((id) => id !== summary.id);
      await changeBranch(projectId, branch.id, { summaries });
    });
  const count = formatNumber(summary.coveredNodes, t.locale);
  return (
    <section className="summary-card" aria-labelledby={heading}>
      <header>
        <p id={heading} className="summary-title">
          {t('summary.title')}
        </p>
        <p>{t('summary.lead', { count, model: summary.model ?? '' })}</p>
      </header>
      <Folded height={240}>
        <Prose text={summary.text} />
      </Folded>
      {madeShown ? (
        <div className="summary-made">
          <Calls calls={summary.calls} />
          {summary.instruction === null ? null : <pre>{summary.instruction}</pre>}
        </div>
      ) : null}
      <footer>
        <button type="button" className="button" aria-expanded={open} onClick={() => onOpen(!open)}>
          {t(open ? 'summary.close' : 'summary.open', { count })}
        </button>
        <button
          type="button"
          className="link-button"
          aria-expanded={madeShown}
          onClick={() => setMadeShown(!madeShown)}
        >
          {t('summary.made')}
        </button>
        <button type="button" className="link-button" onClick={takeBack}>
          {t('summary.takeBack')}
        </button>
      </footer>
    </section>
  );
}
