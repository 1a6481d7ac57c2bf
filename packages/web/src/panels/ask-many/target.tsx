import type { BranchView, PresetView, ProviderView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { ModelFields } from '../../parts/model-fields.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { useTold } from '../../session/use-told.ts';
import { formatCost } from '../../view/format.ts';
import { modelLabel } from '../../view/model-label.ts';
import { MOST_REPLIES } from '../../view/most-replies.ts';
import { thinkingText } from '../../view/thinking-text.ts';

export const LEVELS = ['off', 'low', 'medium', 'high'] as const;
type Level = (typeof LEVELS)[number];

/** Who is asked, as it is written into the fields. */
export interface TargetForm {
  readonly key: number;
  readonly provider: string;
  readonly model: string;
  /** What brings provider and model with it, and a system prompt and tools besides; null: these two are chosen. */
  readonly preset: PresetView | null;
  /** Null: as on the branch, or in the preset. */
  readonly thinking: Level | null;
  readonly n: string;
}

/** What one answer costs, or why it would be refused. */
export interface TargetPrice {
  readonly each: number | null;
  readonly refused: { readonly code: string; readonly detail: string } | null;
}

/** Whether so many answers of one model can be asked for. */
export const isCount = (typed: string): boolean => {
  const count = Number(typed);
  return Number.isInteger(count) && count >= 1 && count <= MOST_REPLIES;
};

interface TargetProps {
  readonly form: TargetForm;
  readonly number: number;
  /** How hard it thinks where nothing is chosen. */
  readonly thinking: BranchView['thinking'];
  readonly providers: readonly ProviderView[];
  readonly estimate: TargetPrice | null;
  /** Whether it is asked how many answers this one gives. */
  readonly counted?: boolean;
  readonly onChange: (form: TargetForm) => void;
  /** Null for the last one. */
  readonly onRemove: (() => void) | null;
}

export function Target({
  form,
  number,
  thinking,
  providers,
  estimate,
  counted = true,
  onChange,
  onRemove,
}: TargetProps) {
  const t = useT();
  const model = providers.find(({ id }) => id === form.provider)?.models.find(({ id }) => id === form.model);
  const levels = model?.alwaysThinks === true ? LEVELS.filter((level) => level !== 'off') : LEVELS;
  const own = form.preset?.thinking ?? thinking;
  const inherited = thinkingText(own, t);
  const refusal = estimate?.refused ?? null;
  const refused = useTold(refusal === null ? null : { code: refusal.code, message: refusal.detail });
  const cost = estimate?.each ?? null;
  return (
    <div role="group" aria-label={t('ask.target', { index: number })}>
      {form.preset === null ? (
        <ModelFields
          providers={providers}
          provider={form.provider}
          model={form.model}
          hideLabels={number > 1}
          onChange={(choice) => onChange({ ...form, ...choice, thinking: null })}
        />
      ) : (
        <p className="ask-preset">
          <strong>{form.preset.name}</strong> {modelLabel(providers, form.provider, form.model)}
        </p>
      )}
      <label className="field">
        <span className={number > 1 ? 'visually-hidden' : undefined}>{t('composer.thinking')}</span>
        <select
          className="input"
          value={form.thinking ?? ''}
          disabled={model?.canThink === false}
          onChange={(event) =>
            onChange({ ...form, thinking: LEVELS.find((level) => level === event.target.value) ?? null })
          }
        >
          <option value="">{model?.canThink === false ? t('thinking.off') : inherited}</option>
          {levels
            .filter((level) => level !== own)
            .map((level) => (
              <option key={level} value={level}>
                {t(`thinking.${level}`)}
              </option>
            ))}
        </select>
      </label>
      {counted ? (
        <label className="field">
          <span className={number > 1 ? 'visually-hidden' : undefined}>{t('ask.answers')}</span>
          <input
            className="input"
            type="number"
            inputMode="numeric"
            min={1}
            max={MOST_REPLIES}
            aria-invalid={!isCount(form.n)}
            value={form.n}
            onChange={(event) => onChange({ ...form, n: event.target.value })}
          />
        </label>
      ) : null}
      <span className="ask-remove">
        {onRemove === null ? null : (
          <IconButton label={t('ask.remove', { index: number })} onClick={onRemove}>
            <CloseIcon />
          </IconButton>
        )}
      </span>
      {estimate?.refused == null ? (
        cost === null || cost === 0 ? null : (
          <small>{t('ask.each', { cost: formatCost(cost, t.locale) })}</small>
        )
      ) : (
        <small className="ask-refused">{refused}</small>
      )}
    </div>
  );
}
