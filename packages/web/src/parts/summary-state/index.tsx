import { useT } from '../../i18n/later/index.ts';
import { useIntoView } from '../into-view.ts';
import './summary-state.css';

interface SummaryStateProps {
  /** Null: none is being written, and none was cancelled. */
  readonly state: 'writing' | 'cancelled' | null;
  readonly model: string;
  /** What is said once it was cancelled. */
  readonly cancelled: string;
}

/** Says in a dialog that a summary is being written, and what became of it if that was stopped. */
export function SummaryState({ state, model, cancelled }: SummaryStateProps) {
  const t = useT();
  const shown = useIntoView<HTMLParagraphElement>(state);
  return (
    <p ref={shown} className="summary-state" role="status">
      {state === 'writing' ? (
        <>
          <span className="pulse" /> {t('summary.writing', { model })}
        </>
      ) : state === 'cancelled' ? (
        cancelled
      ) : null}
    </p>
  );
}
