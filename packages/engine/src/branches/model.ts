import type { Lock } from '@bough/core';
import type { Fact, FactSource, FoundModel, ModelInfo } from '@bough/providers';
import { RequestError } from '../admit/errors.ts';
import type { Environment } from '../environment.ts';

/** A fact about a model that nobody stated, and what is assumed instead. */
export type AssumedFact = { readonly source: Extract<FactSource, 'family' | 'assumed'> } & (
  | { readonly fact: 'contextWindow' | 'maxOutputTokens'; readonly value: number }
  | { readonly fact: 'thinking'; readonly value: 'never' | 'on_request' | 'always' }
  | { readonly fact: 'bindsThinkingToPrefix'; readonly value: boolean }
);

/** What is not known about the model of a new branch: told once, when the branch is made. */
export interface ModelNotice {
  /**
   * `model_assumed`: facts had to be assumed. `list_unread`: whether the model exists could not be asked.
   * `provider_tool_left_out`: a tool of the provider that the branch's source had switched on is not offered.
   */
  readonly code: 'model_assumed' | 'list_unread' | 'provider_tool_left_out';
  readonly provider: string;
  readonly model: string;
  readonly assumed: readonly AssumedFact[];
  /** Why the list could not be read; null if that is not the matter. */
  readonly problem: string | null;
  /** All of it in words for people. */
  readonly message: string;
}

/**
 * Looks the model of a new branch up. One that its vendor does not have is refused here, not at the first message. A
 * branch with its source's model says nothing: it was told when the source was made.
 */
export async function checkModel(
  env: Environment,
  { provider: id, model }: Lock,
  source: Lock | null,
): Promise<readonly ModelNotice[]> {
  const provider = env.providers.get(id);
  if (source !== null && source.provider === id && source.model === model) return [];
  const found = await provider.findModel(model, 'branching');
  const { label } = provider.deployment;
  if (found.existence === 'missing') throw new RequestError('unknown_model', missing(label, id, model, found.near));
  const assumed = assumedFacts(found);
  const about = { provider: id, model, assumed: [], problem: null };
  return [
    ...(found.existence === 'unasked' && found.problem !== null
      ? [
          {
            ...about,
            code: 'list_unread',
            problem: found.problem,
            message: unread(label, model, found.problem),
          } as const,
        ]
      : []),
    ...(assumed.length === 0
      ? []
      : [{ ...about, code: 'model_assumed', assumed, message: assumption(label, model, found, assumed) } as const]),
  ];
}

function assumedFacts({ description: { info, sources } }: FoundModel): readonly AssumedFact[] {
  const facts: readonly Fact[] = ['contextWindow', 'maxOutputTokens', 'thinking', 'bindsThinkingToPrefix'];
  return facts.flatMap((fact): readonly AssumedFact[] => {
    const source = sources[fact];
    if (source !== 'family' && source !== 'assumed') return [];
    switch (fact) {
      case 'contextWindow':
      case 'maxOutputTokens':
        return [{ fact, source, value: info[fact] }];
      case 'thinking':
        return [{ fact, source, value: whenItThinks(info) }];
      case 'bindsThinkingToPrefix':
        return whenItThinks(info) === 'never' ? [] : [{ fact, source, value: info.bindsThinkingToPrefix }];
    }
  });
}

function whenItThinks({ alwaysThinks, canThink }: ModelInfo): 'never' | 'on_request' | 'always' {
  if (alwaysThinks) return 'always';
  return canThink ? 'on_request' : 'never';
}

function missing(label: string, id: string, model: string, near: readonly string[]): string {
  const meant = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
  return `${label} has no model "${model}".${meant} If it has one all the same, name it under providers.${id}.models in bough.config.json.`;
}

function unread(label: string, model: string, problem: string): string {
  return `Whether ${label} has "${model}" could not be asked: ${problem}`;
}

function assumption(
  label: string,
  model: string,
  { existence, description: { info } }: FoundModel,
  assumed: readonly AssumedFact[],
): string {
  const listed = existence === 'listed' ? `, but ${label} does` : '';
  const family = info.family === undefined ? '' : ` from its family (${info.family})`;
  const facts = assumed.map(inWords).join('; ');
  return `Bough does not list ${model}${listed}. Assumed${family}: ${facts}. "models" in bough.config.json can say otherwise.`;
}

function inWords(assumed: AssumedFact): string {
  switch (assumed.fact) {
    case 'contextWindow':
      return `a window of ${assumed.value.toLocaleString('en')} tokens`;
    case 'maxOutputTokens':
      return `replies of up to ${assumed.value.toLocaleString('en')} tokens`;
    case 'thinking':
      return { never: 'no thinking', on_request: 'thinking on request', always: 'always thinking' }[assumed.value];
    case 'bindsThinkingToPrefix':
      return assumed.value ? 'thinking bound to what precedes it' : 'thinking not bound to what precedes it';
  }
}
