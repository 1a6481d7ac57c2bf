import type { RoundView, UpdateRoundInput } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { HintedField } from '../../parts/hinted-field.tsx';
import { DownloadIcon, RetryIcon, SendIcon, StopIcon, TrashIcon } from '../../parts/icons.tsx';
import { isMoving, steerRound } from '../../session/question-sets.ts';
import { attempt } from '../../session/refusals.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { amountOf, spentText } from '../../view/rounds.ts';

interface RoundActionsProps {
  readonly round: RoundView;
  readonly onDelete: () => void;
}

/** What can be done about a round as it stands. */
export function RoundActions({ round, onDelete }: RoundActionsProps) {
  const t = useT();
  const [open, setOpen] = useState<'limit' | 'cancel' | 'delete' | null>(null);
  const close = (): void => setOpen(null);
  const { id, projectId, state, because, failed, running } = round;
  const steer = (change: UpdateRoundInput) => void attempt(() => steerRound(id, change));
  const isOpen = state === 'running' || state === 'paused';
  const isAtLimit = because?.code === 'limit_reached';
  return (
    <div className="sets-actions">
      {state === 'running' ? (
        <button type="button" className="button" onClick={() => steer({ state: 'paused' })}>
          <StopIcon />
          {t('rounds.pause')}
        </button>
      ) : null}
      {state === 'paused' && running === 0 ? (
        <button
          type="button"
          className="button primary"
          // At its limit a round would stop again at once.
          onClick={() => (isAtLimit ? setOpen('limit') : steer({ state: 'running' }))}
        >
          <SendIcon />
          {t('rounds.resume')}
        </button>
      ) : null}
      {failed > 0 && !isMoving(round) && state !== 'cancelled' ? (
        <button type="button" className="button" onClick={() => steer({ again: true })}>
          <RetryIcon />
          {t('rounds.again')}
        </button>
      ) : null}
      {isOpen ? (
        <>
          <button type="button" className="button" onClick={() => setOpen('limit')}>
            {t('rounds.limit.change')}
          </button>
          <button type="button" className="button" onClick={() => setOpen('cancel')}>
            {t('rounds.cancel')}
          </button>
        </>
      ) : null}
      <a className="button" href={`/api/rounds/${encodeURIComponent(id)}/answers.csv`} download>
        <DownloadIcon />
        {t('rounds.csv')}
      </a>
      <Link className="button" to="/p/$projectId" params={{ projectId }}>
        {t('rounds.project')}
      </Link>
      {isMoving(round) ? null : (
        <button type="button" className="button" onClick={() => setOpen('delete')}>
          <TrashIcon />
          {t('rounds.delete')}
        </button>
      )}
      {open === 'limit' ? <LimitDialog round={round} onClose={close} /> : null}
      <Confirm
        open={open === 'cancel'}
        title={t('rounds.cancel')}
        question={t('rounds.cancel.sure')}
        confirm={t('rounds.cancel')}
        onConfirm={() => steer({ state: 'cancelled' })}
        onClose={close}
      />
      <Confirm
        open={open === 'delete'}
        title={t('rounds.delete')}
        question={t('rounds.delete.sure')}
        confirm={t('rounds.delete')}
        onConfirm={onDelete}
        onClose={close}
      />
    </div>
  );
}

/** Another limit. A round that stands still because of it goes on. */
function LimitDialog({ round, onClose }: { readonly round: RoundView; readonly onClose: () => void }) {
  const t = useT();
  const goesOn = round.because?.code === 'limit_reached';
  const [limit, setLimit] = useState(String(goesOn ? round.limit * 2 : round.limit));
  const { busy, problem, run } = useAttempt();
  const money = amountOf(limit);
  const save = async (): Promise<void> => {
    if (money === null) return;
    await run(async () => {
      await steerRound(round.id, { limit: money, ...(goesOn ? { state: 'running' } : {}) });
      onClose();
    });
  };
  return (
    <Dialog open onClose={onClose} title={t('rounds.limit.title')} description={spentText(round, t)}>
      <DialogForm
        save={t(goesOn ? 'rounds.resume' : 'sets.save')}
        canSave={money !== null}
        busy={busy}
        problem={problem}
        onSave={save}
        onClose={onClose}
      >
        <HintedField label={t('rounds.limit')} hint={t('rounds.limit.hint')}>
          {(described) => (
            <input
              {...described}
              className="input"
              inputMode="decimal"
              aria-invalid={money === null}
              value={limit}
              onChange={(event) => setLimit(event.target.value)}
            />
          )}
        </HintedField>
      </DialogForm>
    </Dialog>
  );
}
