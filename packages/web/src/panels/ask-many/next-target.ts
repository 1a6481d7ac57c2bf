import type { PresetView, ProviderView } from '@bough/api/client';
import type { TargetForm } from './target.tsx';

/** The model that is asked first, or again if all others are asked already. */
interface Own {
  readonly provider: string;
  readonly model: string;
}

export function targetForm(key: number, { provider, model }: Own): TargetForm {
  return { key, provider, model, preset: null, thinking: null, n: '1' };
}

/** A preset, asked as one that answers: as it is, with all that it says. */
export const presetForm = (forms: readonly TargetForm[], preset: PresetView): TargetForm => ({
  ...targetForm(nextKey(forms), preset),
  preset,
});

const nextKey = (forms: readonly TargetForm[]): number => Math.max(-1, ...forms.map(({ key }) => key)) + 1;

/** What is sent of it: what a preset says stays with the preset, so that nothing of it is overruled. */
export function targetOf({ provider, model, preset, thinking }: TargetForm) {
  const who = preset === null ? { provider, model: model.trim() } : { preset: preset.id };
  return { ...who, ...(thinking === null ? {} : { thinking }) };
}

/** One's own model and another one: two are the least that can be compared. */
export function atFirst(own: Own, providers: readonly ProviderView[]): readonly TargetForm[] {
  const first = targetForm(0, own);
  return providers.length === 0 ? [first] : [first, nextTarget([first], own, providers)];
}

/** A model that is not asked yet, of a provider that is ready; if all are, one's own once more. */
export function nextTarget(forms: readonly TargetForm[], own: Own, providers: readonly ProviderView[]): TargetForm {
  const asked = new Set(forms.map(({ provider, model }) => `${provider} ${model}`));
  const isSimulated = providers.find(({ id }) => id === own.provider)?.simulated === true;
  // A program on this machine counts as ready without a key, whether or not it runs; one that is simulated stands
  // beside a real one only if it is chosen.
  const doubts = ({ simulated, keySource }: ProviderView): number =>
    (simulated === isSimulated ? 0 : 2) + (keySource === 'not_needed' && !simulated ? 1 : 0);
  const ready = providers.filter((each) => each.ready).toSorted((a, b) => doubts(a) - doubts(b));
  const places = ready.flatMap(({ id, defaultModel, models }) =>
    [defaultModel, ...models.map((model) => model.id)].map((model) => ({ provider: id, model })),
  );
  const defaults = places.filter(({ provider, model }) =>
    ready.some((each) => each.id === provider && each.defaultModel === model && doubts(each) === 0),
  );
  const next = [...defaults, ...places].find(({ provider, model }) => !asked.has(`${provider} ${model}`)) ?? own;
  return targetForm(nextKey(forms), next);
}
