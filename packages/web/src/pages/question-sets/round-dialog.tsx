import type { EstimateRoundInput, PresetView, RoundEstimateView, WholeQuestionSetView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { AddPreset } from '../../panels/ask-many/add-preset.tsx';
import { nextTarget, presetForm, targetForm, targetOf } from '../../panels/ask-many/next-target.ts';
import type { TargetForm, TargetPrice } from '../../panels/ask-many/target.tsx';
import { LEVELS, Target } from '../../panels/ask-many/target.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { HintedField } from '../../parts/hinted-field.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { useSettled } from '../../parts/settled.ts';
import { client } from '../../session/client.ts';
import { presetsQuery } from '../../session/library.ts';
import { newId } from '../../session/new-id.ts';
import { providersQuery } from '../../session/queries.ts';
import { refreshSets, roundEstimateQuery } from '../../session/question-sets.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { errorText } from '../../view/error-text.ts';
import { formatCost, formatNumber } from '../../view/format.ts';
import { amountOf, wholeOf } from '../../view/rounds.ts';
import '../../panels/ask-many/ask-many.css';

/** As many as the server takes. */
const MOST_TARGETS = 20;
const MOST_SAMPLES = 20;
const MOST_AT_ONCE = 16;
const MOST_TOKENS = 1_000_000;
const MOST_ANSWERS = 2_000;

/** A round of a question set: who is asked, how often, and what it may cost, with what it will. */
export function RoundDialog({ set, onClose }: { readonly set: WholeQuestionSetView; readonly onClose: () => void }) {
  const t = useT();
  const navigate = useNavigate();
  const providers = useQuery(providersQuery).data?.providers ?? [];
  const presets = useQuery(presetsQuery).data ?? [];
  const last = set.rounds.at(-1);
  const [chosen, setChosen] = useState<readonly TargetForm[] | null>(null);
  // Asked again, it is asked as the last time, until something else is chosen.
  const [samples, setSamples] = useState(String(last?.samples ?? 1));
  const [limit, setLimit] = useState(last === undefined ? '' : String(last.limit));
  const [maxTokens, setMaxTokens] = useState(last?.maxTokens == null ? '' : String(last.maxTokens));
  const [atOnce, setAtOnce] = useState(String(last?.atOnce ?? 3));
  const [unpriced, setUnpriced] = useState(false);
  const { busy, problem, run } = useAttempt();
  const sent = useRef({ request: '', id: '' });

  const own = providers.find(({ ready }) => ready);
  const first = own === undefined ? null : { provider: own.id, model: own.defaultModel };
  const forms = chosen ?? formsOf(last?.targets, presets) ?? (first === null ? [] : [targetForm(0, first)]);
  const counts = {
    samples: wholeOf(samples, 1, MOST_SAMPLES),
    atOnce: wholeOf(atOnce, 1, MOST_AT_ONCE),
    maxTokens: maxTokens.trim() === '' ? undefined : wholeOf(maxTokens, 1, MOST_TOKENS),
  };
  const money = amountOf(limit);
  const answers = set.count * forms.length * (counts.samples ?? 0);
  const isAskable =
    forms.length > 0 &&
    forms.every(({ model }) => model.trim() !== '') &&
    counts.samples !== null &&
    counts.maxTokens !== null &&
    answers <= MOST_ANSWERS;
  const wish: EstimateRoundInput = {
    targets: forms.map(targetOf),
    samples: counts.samples ?? 1,
    ...(counts.maxTokens == null ? {} : { maxTokens: counts.maxTokens }),
  };
  const wished = JSON.stringify(wish);
  const settled = useSettled(wished);
  const estimate = useQuery({
    ...roundEstimateQuery(set.id, JSON.parse(settled) as EstimateRoundInput),
    // What had settled before may be what no server takes.
    enabled: isAskable && settled === wished,
  });
  const targets = isAskable ? (estimate.data?.targets ?? null) : null;
  // The price of what was chosen before is no price of this.
  const isTold = targets !== null && settled === wished && !estimate.isPlaceholderData;
  const isUnpriced = targets?.some(({ mostCost, refused }) => mostCost === null && refused === null) === true;
  const isRefused = targets?.some(({ refused }) => refused !== null) === true;
  const change = (index: number, form: TargetForm | null): void =>
    setChosen(forms.flatMap((each, at) => (at !== index ? [each] : form === null ? [] : [form])));
  const add = (): void => {
    if (first !== null) setChosen([...forms, nextTarget(forms, forms[0] ?? first, providers)]);
  };

  const submit = async (): Promise<void> => {
    const answersAtOnce = counts.atOnce;
    if (money === null || answersAtOnce === null) return;
    await run(async () => {
      const request = { ...wish, limit: money, atOnce: answersAtOnce, ...(unpriced ? { unpriced } : {}) };
      const text = JSON.stringify(request);
      // Sent again after a lost answer it begins nothing twice; another request is another round.
      if (sent.current.request !== text) sent.current = { request: text, id: newId() };
      const { round } = await client.startRound(set.id, { ...request, clientRequestId: sent.current.id });
      await refreshSets();
      onClose();
      const params = { setId: set.id, roundId: round.id };
      await navigate({ to: '/question-sets/$setId/rounds/$roundId', params });
    });
  };

  return (
    <Dialog open wide onClose={onClose} title={t('rounds.start.title')} description={t('rounds.start.lead')}>
      <DialogForm
        save={t('rounds.begin')}
        canSave={isTold && !isRefused && money !== null && counts.atOnce !== null && (!isUnpriced || unpriced)}
        busy={busy}
        problem={problem}
        onSave={submit}
        onClose={onClose}
      >
        <div className="ask-targets uncounted">
          {forms.map((form, index) => (
            <Target
              key={form.key}
              form={form}
              number={index + 1}
              thinking="medium"
              providers={providers}
              estimate={priceOf(targets?.[index])}
              counted={false}
              onChange={(next) => change(index, next)}
              onRemove={forms.length < 2 ? null : () => change(index, null)}
            />
          ))}
        </div>
        <div className="ask-more">
          <button type="button" className="button small" disabled={forms.length >= MOST_TARGETS} onClick={add}>
            <PlusIcon />
            {t('ask.add')}
          </button>
          <AddPreset
            disabled={forms.length >= MOST_TARGETS}
            onAdd={(preset) => setChosen([...forms, presetForm(forms, preset)])}
          />
        </div>
        <div className="field-row round-numbers">
          <NumberField
            label={t('rounds.limit')}
            value={limit}
            inputMode="decimal"
            isWrong={limit !== '' && money === null}
            hint={t('rounds.limit.hint')}
            onChange={setLimit}
          />
          <NumberField
            label={t('rounds.samples')}
            value={samples}
            isWrong={counts.samples === null}
            onChange={setSamples}
          />
          <NumberField
            label={t('rounds.maxTokens')}
            value={maxTokens}
            isWrong={counts.maxTokens === null}
            hint={t('rounds.maxTokens.hint')}
            onChange={setMaxTokens}
          />
          <NumberField
            label={t('rounds.atOnce')}
            value={atOnce}
            isWrong={counts.atOnce === null}
            onChange={setAtOnce}
          />
        </div>
        {isUnpriced ? (
          <label className="check-line">
            <input type="checkbox" checked={unpriced} onChange={(event) => setUnpriced(event.target.checked)} />{' '}
            {t('rounds.unpriced')}
          </label>
        ) : null}
        <p className="ask-price" role="status">
          {answers > MOST_ANSWERS ? (
            t('rounds.tooMany', { most: formatNumber(MOST_ANSWERS, t.locale) })
          ) : !isAskable ? null : estimate.isError ? (
            errorText(estimate.error)
          ) : !isTold ? (
            t('app.loading')
          ) : (
            <Sum targets={targets} answers={answers} />
          )}
        </p>
      </DialogForm>
    </Dialog>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly isWrong: boolean;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly hint?: string | undefined;
  readonly onChange: (value: string) => void;
}

function NumberField({ label, value, isWrong, inputMode = 'numeric', hint, onChange }: NumberFieldProps) {
  return (
    <HintedField label={label} hint={hint}>
      {(described) => (
        <input
          {...described}
          className="input"
          inputMode={inputMode}
          aria-invalid={isWrong}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </HintedField>
  );
}

/** What is known of the price, all together. */
function Sum({ targets, answers }: Pick<RoundEstimateView, 'targets'> & { readonly answers: number }) {
  const t = useT();
  const asked = targets.filter(({ refused }) => refused === null);
  const isUnknown = asked.some(({ mostCost, likelyCost }) => mostCost === null || likelyCost === null);
  const money = (pick: (target: (typeof targets)[number]) => number | null): string =>
    formatCost(
      asked.reduce((sum, target) => sum + (pick(target) ?? 0), 0),
      t.locale,
    );
  return (
    <>
      <strong>{t('ask.count', { count: formatNumber(answers, t.locale) })}</strong>{' '}
      {isUnknown
        ? t('estimate.unknown')
        : t('rounds.price', { likely: money((one) => one.likelyCost), most: money((one) => one.mostCost) })}
    </>
  );
}

function priceOf(estimated: RoundEstimateView['targets'][number] | undefined): TargetPrice | null {
  if (estimated === undefined) return null;
  const { likelyCost, answers, refused } = estimated;
  return { each: likelyCost === null ? null : likelyCost / Math.max(1, answers), refused };
}

/** As the last time; a preset that is gone is asked as its model. */
function formsOf(
  targets: WholeQuestionSetView['rounds'][number]['targets'] | undefined,
  presets: readonly PresetView[],
): readonly TargetForm[] | undefined {
  return targets?.map(({ provider, model, preset: id, thinking }, key) => {
    const preset = presets.find((each) => each.id === id) ?? null;
    const level = LEVELS.find((each) => each === thinking) ?? null;
    const own = targetForm(key, preset ?? { provider, model });
    return { ...own, preset, thinking: level === preset?.thinking ? null : level };
  });
}
