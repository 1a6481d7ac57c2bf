import type { AskEstimate, AskTargetInput, BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { useSettled } from '../../parts/settled.ts';
import type { Question } from '../../session/ask-many.ts';
import { askEstimateQuery, askMany, requestOf } from '../../session/ask-many.ts';
import { newId } from '../../session/new-id.ts';
import { providersQuery, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { errorText } from '../../view/error-text.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { MOST_ANSWERS } from '../../view/most-replies.ts';
import { AddPreset } from './add-preset.tsx';
import { atFirst, nextTarget, presetForm, targetOf } from './next-target.ts';
import type { TargetForm, TargetPrice } from './target.tsx';
import { isCount, Target } from './target.tsx';
import './ask-many.css';

interface AskManyDialogProps {
  readonly projectId: string;
  /** The branch that is asked from; it stays as it is. */
  readonly branch: BranchView;
  readonly question: Question;
  /** The question is stored: what was written need not be kept any longer. */
  readonly onAsked?: () => void;
  readonly onClose: () => void;
}

/** One message to several models: who is asked, how often, and what it costs. */
export function AskManyDialog({ projectId, branch, question, onAsked, onClose }: AskManyDialogProps) {
  const t = useT();
  const navigate = useNavigate();
  const providers = useQuery(providersQuery).data?.providers;
  const [chosen, setChosen] = useState<readonly TargetForm[] | null>(null);
  const [isBlind, setBlind] = useState(false);
  const { busy, problem, run } = useAttempt();
  const last = useRef({ request: '', id: '' });
  const forms = chosen ?? atFirst(branch, providers ?? []);
  const count = forms.reduce((sum, { n }) => sum + Number(n), 0);
  const isValid = forms.every(({ model, n }) => model.trim() !== '' && isCount(n)) && count <= MOST_ANSWERS;
  const wished = JSON.stringify(forms.map(askedOf));
  const settled = useSettled(wished);
  const price = useQuery({
    ...askEstimateQuery(projectId, requestOf(branch.id, question, JSON.parse(settled) as AskTargetInput[])),
    // What had settled before may be what no server takes.
    enabled: isValid && settled === wished && providers !== undefined,
  });
  const { data } = price;
  // The price of what was chosen before is no price of this.
  const isTold = settled === wished && !price.isPlaceholderData && !price.isPending;
  const change = (index: number, form: TargetForm | null): void =>
    setChosen(forms.flatMap((each, at) => (at !== index ? [each] : form === null ? [] : [form])));

  const submit = (): Promise<boolean> =>
    run(async () => {
      const request = requestOf(branch.id, question, forms.map(askedOf));
      const text = JSON.stringify(request);
      // Sent again after a lost answer it begins nothing twice; another question is another request.
      if (last.current.request !== text) last.current = { request: text, id: newId() };
      const { nodeId, refused } = await askMany(projectId, { ...request, clientRequestId: last.current.id });
      onAsked?.();
      await refreshProject(projectId);
      onClose();
      const params = { projectId, branch: branch.name, nodeId };
      const search = isBlind ? { blind: true as const } : {};
      await navigate({ to: '/p/$projectId/b/$branch/answers/$nodeId', params, search });
      // Those that began are on the screen; that others did not is reported like any other refusal.
      if (refused !== null) await attempt(() => Promise.reject(new Error(refused)));
    });

  const money = (value: number): string => formatCost(value, t.locale);
  const sums = data === undefined || data.mostCost === null || data.inputCost === null ? null : data;
  const together = t('ask.count', { count: formatNumber(count, t.locale) });
  return (
    <Dialog open wide onClose={onClose} title={t('ask.title')} description={t('ask.lead')}>
      <DialogForm
        save={t('ask.send')}
        canSave={isValid && isTold}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={onClose}
      >
        <div className="ask-targets">
          {forms.map((form, index) => (
            <Target
              key={form.key}
              form={form}
              number={index + 1}
              thinking={branch.thinking}
              providers={providers ?? []}
              estimate={isValid ? priceOf(data?.targets[index]) : null}
              onChange={(next) => change(index, next)}
              onRemove={forms.length < 2 ? null : () => change(index, null)}
            />
          ))}
        </div>
        <div className="ask-more">
          <button
            type="button"
            className="button small"
            disabled={count >= MOST_ANSWERS}
            onClick={() => setChosen([...forms, nextTarget(forms, branch, providers ?? [])])}
          >
            <PlusIcon />
            {t('ask.add')}
          </button>
          <AddPreset
            disabled={count >= MOST_ANSWERS}
            onAdd={(preset) => setChosen([...forms, presetForm(forms, preset)])}
          />
          {'nodeId' in question ? (
            <Link
              className="button small quiet"
              to="/p/$projectId/b/$branch/answers/$nodeId"
              params={{ projectId, branch: branch.name, nodeId: question.nodeId }}
            >
              {t('ask.see')}
            </Link>
          ) : null}
        </div>
        <label className="check-line">
          <input type="checkbox" checked={isBlind} onChange={(event) => setBlind(event.target.checked)} />{' '}
          {t('ask.blind')}
        </label>
        <p className="ask-price" role="status">
          {count > MOST_ANSWERS ? (
            t('ask.tooMany', { most: MOST_ANSWERS })
          ) : !isValid ? null : price.isError ? (
            errorText(price.error)
          ) : data === undefined || !isTold ? (
            t('app.loading')
          ) : (
            <>
              <strong>{together}</strong>{' '}
              {sums === null
                ? t('estimate.unknown')
                : t('ask.price', { input: money(sums.inputCost ?? 0), most: money(sums.mostCost ?? 0) })}{' '}
              {sums !== null && data.unpriced > 0 ? t('ask.unpriced', { count: data.unpriced }) : null}
            </>
          )}
        </p>
      </DialogForm>
    </Dialog>
  );
}

function priceOf(estimated: AskEstimate['targets'][number] | undefined): TargetPrice | null {
  if (estimated === undefined) return null;
  const { estimate, refused } = estimated;
  return { each: estimate?.likeLast?.cost ?? estimate?.inputCost ?? null, refused };
}

const askedOf = (form: TargetForm): AskTargetInput => ({ ...targetOf(form), n: Number(form.n) });
