import type { BranchView, CompactionPreview } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { SummaryState } from '../../parts/summary-state/index.tsx';
import { client } from '../../session/client.ts';
import { askingFirst } from '../../session/over-budget.ts';
import { refreshProject } from '../../session/queries.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { errorText } from '../../view/error-text.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { WhenFull } from './when-full.tsx';
import './compaction.css';

interface CompactDialogProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** The last message that the summary is to stand for. */
  readonly upTo: string;
  readonly onClose: () => void;
}

/** Tells what a summary would stand for, do and cost, lets people change what is asked for, and has it made. */
export function CompactDialog({ projectId, branch, upTo, onClose }: CompactDialogProps) {
  const t = useT();
  const { goTo } = useTurnActions(projectId, branch);
  const [instruction, setInstruction] = useState<string | null>(null);
  const [wasCancelled, setWasCancelled] = useState(false);
  const { busy, problem, run } = useAttempt();
  const writing = useRef<AbortController | null>(null);
  const asked = useQuery({
    queryKey: ['project', projectId, 'compaction', branch.id, upTo],
    queryFn: () => client.compaction(projectId, { ref: branch.id, upTo }),
    gcTime: 0,
    retry: false,
  });
  const preview = asked.data;
  const submit = async (): Promise<void> => {
    setWasCancelled(false);
    const controller = new AbortController();
    writing.current = controller;
    const words = instruction === null ? {} : { instruction };
    await run(async () => {
      try {
        const made = await askingFirst((more) =>
          client.compact(projectId, { ref: branch.id, upTo, ...words, ...more }, controller.signal),
        );
        await refreshProject(projectId);
        await goTo(made.branch.name);
        onClose();
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        setWasCancelled(true);
        // It may have been made the moment before: then its branch is there.
        void refreshProject(projectId);
      } finally {
        writing.current = null;
      }
    });
  };
  /** While the summary is written, what closes the dialog stops that first: it is paid for, and waits for an answer. */
  const close = (): void => (writing.current === null ? onClose() : writing.current.abort());
  return (
    <Dialog open onClose={close} title={t('compact.title')} description={t('compact.lead')}>
      {asked.isError ? <Problem message={errorText(asked.error)} /> : null}
      {asked.isPending ? <Loading failures={asked.failureCount} /> : null}
      <DialogForm
        save={t('compact.save')}
        canSave={preview !== undefined && preview.unread === 0}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={close}
      >
        {preview === undefined ? null : (
          <>
            <Preview preview={preview} />
            <label className="field">
              <span>{t('compact.instruction')}</span>
              <textarea
                className="input"
                rows={5}
                value={instruction ?? preview.instruction}
                onChange={(event) => setInstruction(event.target.value)}
              />
            </label>
          </>
        )}
        {/* Not before the rest: the dialog would open with the focus on a choice that counts at once. */}
        {asked.isPending ? null : <WhenFull projectId={projectId} branch={branch} />}
        <SummaryState
          state={busy ? 'writing' : wasCancelled ? 'cancelled' : null}
          model={branch.model}
          cancelled={t('compact.cancelled')}
        />
      </DialogForm>
    </Dialog>
  );
}

function Preview({ preview }: { readonly preview: CompactionPreview }) {
  const t = useT();
  const number = (value: number): string => formatNumber(value, t.locale);
  const money = (value: number | null): string =>
    value === null ? t('compact.cost.unknown') : formatCost(value, t.locale);
  const { coveredNodes, coveredTurns, pinned, lostReasoning, unread, rewrittenTokens } = preview;
  return (
    <ul className="compact-preview">
      <li>{t('compact.covers', { messages: number(coveredNodes), turns: number(coveredTurns) })}</li>
      {preview.isRounded ? <li>{t('compact.rounded')}</li> : null}
      <li>{t('compact.tokens', { before: number(preview.tokensBefore), after: number(preview.tokensAfter) })}</li>
      {preview.tokensAfter < preview.tokensBefore ? null : <li className="warn">{t('compact.longer')}</li>}
      <li>
        {t('compact.price', {
          count: number(preview.requestTokens),
          cost: money(preview.cost),
          cached: money(preview.cachedCost),
        })}
      </li>
      {rewrittenTokens === 0 ? null : (
        <li>{t('compact.rewritten', { count: number(rewrittenTokens), cost: money(preview.rewriteCost) })}</li>
      )}
      {pinned.length === 0 ? null : <li>{t('compact.pinned', { count: number(pinned.length) })}</li>}
      {lostReasoning.length === 0 ? null : <li>{t('choose.reasoning', { count: number(lostReasoning.length) })}</li>}
      {unread === 0 ? null : <li className="warn">{t('compact.unread', { count: number(unread) })}</li>}
      <li>{t(preview.by === 'provider' ? 'compact.by.provider' : 'compact.by.model')}</li>
    </ul>
  );
}
