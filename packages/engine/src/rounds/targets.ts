import type { EnvelopeRequest, ThinkingSetting } from '@bough/core';
import { BoughError } from '@bough/core';
import { RequestError } from '../admit/errors.ts';
import { withPreset } from '../branches/index.ts';
import { checkModel } from '../branches/model.ts';
import type { Environment } from '../environment.ts';
import { given } from '../given.ts';
import { defaultLock } from '../library/defaults.ts';
import { chosenPreset } from '../library/presets.ts';
import { priceOf } from './money.ts';
import type { RoundTarget } from './round.ts';
import type { QuestionSet } from './set.ts';

/** Who is asked. What is not named is as in the preset, or as Bough's default. */
export interface WantedTarget {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingSetting | undefined;
  /** By id or name. */
  readonly preset?: string | undefined;
}

/** One target as it will be asked, and checked: one that cannot answer would only fill its column with errors. */
export async function resolveTarget(
  env: Environment,
  wanted: WantedTarget,
  systemPrompt: string | null,
): Promise<RoundTarget> {
  const { preset: named, ...asked } = wanted;
  const preset = named === undefined ? null : await chosenPreset(env, named, asked);
  const { instructionsFrom: _, ...requested } = withPreset(asked, preset);
  const standard = await defaultLock(env);
  const provider = requested.provider ?? standard.provider;
  const model =
    requested.model ??
    (provider === standard.provider ? standard.model : env.providers.get(provider).deployment.defaultModel);
  const { keyProblem } = env.providers.get(provider);
  if (keyProblem !== null) throw new RequestError(keyProblem.code, keyProblem.message);
  await checkModel(env, { provider, model }, null);
  const words = [preset?.name ?? model, ...(typeof asked.thinking === 'string' ? [asked.thinking] : [])];
  const own: EnvelopeRequest = systemPrompt === null ? requested : { ...requested, systemPrompt };
  const from = preset === null ? {} : { preset: preset.id };
  return { label: words.join(' '), provider, model, requested: given({ ...own, provider, model }), ...from };
}

/** Labels are parts of the names of branches: targets that look alike are numbered. */
export function labelled(targets: readonly RoundTarget[]): readonly RoundTarget[] {
  const seen = new Map<string, number>();
  const several = (model: string): boolean =>
    new Set(targets.filter((each) => each.label === model).map(({ provider }) => provider)).size > 1;
  return targets.map((target) => {
    const label = several(target.label) ? `${target.provider} ${target.label}` : target.label;
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { ...target, label: count === 1 ? label : `${label} (${count})` };
  });
}

export interface RoundWish {
  readonly targets: readonly WantedTarget[];
  readonly samples: number;
  readonly maxTokens: number | null;
}

/** What the answers of one target would cost together; or why it cannot answer. */
export interface RoundTargetEstimate {
  readonly target: RoundTarget | null;
  readonly answers: number;
  readonly inputCost: number | null;
  /** With answers of a thousand tokens. */
  readonly likelyCost: number | null;
  /** With answers as long as they may be. */
  readonly mostCost: number | null;
  readonly refused: BoughError | null;
}

/** The price of a round before it begins. Nothing is stored. */
export async function estimateRound(
  env: Environment,
  set: QuestionSet,
  { targets, samples, maxTokens }: RoundWish,
): Promise<readonly RoundTargetEstimate[]> {
  const answers = set.questions.length * samples;
  const estimates: RoundTargetEstimate[] = [];
  for (const wanted of targets) {
    try {
      const target = await resolveTarget(env, wanted, set.systemPrompt);
      const prices = set.questions.map(({ text }) =>
        priceOf(env, target, { question: text, systemPrompt: set.systemPrompt, maxTokens }),
      );
      const sum = (of: (price: (typeof prices)[number]) => number | null): number | null =>
        prices.some((price) => of(price) === null)
          ? null
          : prices.reduce((total, price) => total + (of(price) ?? 0), 0) * samples;
      estimates.push({
        target,
        answers,
        inputCost: sum(({ input }) => input),
        likelyCost: sum(({ likely }) => likely),
        mostCost: sum(({ most }) => most),
        refused: null,
      });
    } catch (error) {
      if (!(error instanceof BoughError)) throw error;
      const unknown = { inputCost: null, likelyCost: null, mostCost: null };
      estimates.push({ target: null, answers, ...unknown, refused: error });
    }
  }
  // As the round itself will call them: one model of two providers is told apart before it is paid for.
  const named = labelled(estimates.flatMap(({ target }) => (target === null ? [] : [target])));
  let next = 0;
  return estimates.map((each) => (each.target === null ? each : { ...each, target: named[next++] ?? each.target }));
}
