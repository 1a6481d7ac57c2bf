import type { BranchView, ModelView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { contextReportQuery } from '../../session/queries.ts';
import type { EnvelopeChange } from '../../view/envelope-form.ts';
import { priceOf } from '../../view/instructions.ts';

const PLACES = ['here', 'beginning'] as const;
type Place = (typeof PLACES)[number];

interface InstructionsChoiceProps {
  readonly projectId: string;
  readonly source: BranchView;
  readonly changes: EnvelopeChange;
  /** Null for a model that we do not know: then the server is asked. */
  readonly model: ModelView | null;
  readonly onChange: (place: Place) => void;
}

/** From where another system prompt counts, each with what it costs. A model may take it only at the beginning. */
export function InstructionsChoice({ projectId, source, changes, model, onChange }: InstructionsChoiceProps) {
  const t = useT();
  const settled: EnvelopeChange = JSON.parse(useSettled(JSON.stringify(changes)));
  const report = (instructionsFrom: Place) =>
    contextReportQuery(projectId, { ref: source.id, target: { ...settled, instructionsFrom } });
  const isAsked = settled.systemPrompt !== undefined && settled.model !== '';
  const canAppend = model?.takesInstructions !== false && settled.systemPrompt !== null;
  const reports = {
    here: useQuery({ ...report('here'), enabled: isAsked && canAppend }),
    beginning: useQuery({ ...report('beginning'), enabled: isAsked }),
  };
  if (changes.systemPrompt === undefined || source.tipId === null) return null;
  const isRefused = !canAppend || reports.here.isError;
  const chosen = isRefused ? 'beginning' : (changes.instructionsFrom ?? 'here');
  return (
    <fieldset className="field choices instructions-choice">
      <legend>{t('instructions.from')}</legend>
      {PLACES.map((place) => {
        const { data } = reports[place];
        const isOut = place === 'here' && isRefused;
        return (
          <label key={place} aria-disabled={isOut}>
            <input
              type="radio"
              name="instructions"
              checked={chosen === place}
              disabled={isOut}
              onChange={() => onChange(place)}
            />
            <span>
              {t(`instructions.${place}`)}
              <small>
                {isOut
                  ? t(settled.systemPrompt === null ? 'instructions.none' : 'instructions.refused')
                  : data === undefined
                    ? t('app.loading')
                    : priceText(t, place, priceOf(data))}
              </small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function priceText(t: ReturnType<typeof useT>, place: Place, { lost, tokens }: ReturnType<typeof priceOf>): string {
  const reads =
    place === 'here'
      ? t('instructions.price.here')
      : t('instructions.price.beginning', { tokens: tokens.toLocaleString(t.locale) });
  return lost === 0 ? reads : `${reads} ${t('instructions.price.lost', { count: lost })}`;
}
