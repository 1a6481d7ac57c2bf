import { ENCRYPTED_REASONING, MIN_OUTPUT_TOKENS } from '../request/parameters.ts';
import { nearestEffort } from '../request/thinking.ts';
import type { Effort } from '../traits.ts';
import { EFFORTS } from '../traits.ts';
import type { WireItem } from '../wire.ts';
import { listOf, numberOf, objectOf, stringOf, without } from '../wire.ts';
import type { ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { rejection } from './context.ts';

// A model that the catalogue does not list may accept anything: these rules report nothing about it.

const reasoningOf = (body: ResponsesBody): WireItem => objectOf(body['reasoning']) ?? {};

function withReasoning(body: ResponsesBody, reasoning: WireItem): ResponsesBody {
  return Object.keys(reasoning).length === 0 ? without(body, 'reasoning') : { ...body, reasoning };
}

/** As the API writes a list: 'a', 'b', and 'c'. */
function quoted(values: readonly string[]): string {
  const all = values.map((value) => `'${value}'`);
  if (all.length < 3) return all.join(' and ');
  return `${all.slice(0, -1).join(', ')}, and ${all.at(-1)}`;
}

export const effortIsSupported: ResponsesRule = {
  id: 'OAR-PARAM-1',
  title: 'The effort is one that the model has.',
  reference: 'https://platform.openai.com/docs/guides/reasoning',
  kind: 'rejection',
  check: (body, { model, traits }) => {
    const effort = stringOf(reasoningOf(body)['effort']);
    if (!model.known || effort === undefined || traits.efforts.length === 0) return [];
    if (traits.efforts.some((supported) => supported === effort)) return [];
    return [
      rejection(
        'reasoning.effort',
        `Unsupported value: '${effort}' is not supported with the '${model.id}' model. Supported values are: ${quoted(traits.efforts)}.`,
        'unsupported_value',
      ),
    ];
  },
  repair: (body, { traits }) => {
    const { effort, ...rest } = reasoningOf(body);
    const wanted = EFFORTS.find((candidate): candidate is Effort => candidate === effort);
    const nearest = wanted === undefined ? undefined : nearestEffort(wanted, traits.efforts);
    return withReasoning(body, nearest === undefined ? rest : { effort: nearest, ...rest });
  },
};

export const noSamplingWhileReasoning: ResponsesRule = {
  id: 'OAR-PARAM-2',
  title: 'A model that reasons takes no sampling parameters.',
  reference: 'https://github.com/BerriAI/litellm/discussions/42523',
  kind: 'rejection',
  check: (body, context) =>
    refusedSampling(body, context).map((key) =>
      rejection(key, `Unsupported parameter: '${key}' is not supported with this model.`),
    ),
  repair: (body, context) => without(body, ...refusedSampling(body, context)),
};

function refusedSampling(body: ResponsesBody, { model, traits }: RuleContext): readonly string[] {
  if (!model.known || traits.sampling === 'always') return [];
  if (traits.sampling === 'without_reasoning' && reasoningOf(body)['effort'] === 'none') return [];
  return ['temperature', 'top_p'].filter((key) => body[key] != null);
}

export const reasoningIsKnownToTheModel: ResponsesRule = {
  id: 'OAR-PARAM-3',
  title: 'A model that does not reason gets no reasoning parameters, and one without summaries is not asked for any.',
  reference: 'https://platform.openai.com/docs/guides/reasoning',
  kind: 'rejection',
  check: (body, context) =>
    refusedReasoning(body, context).map((key) =>
      rejection(
        `reasoning.${key}`,
        `Unsupported parameter: 'reasoning.${key}' is not supported with this model.`,
        'unsupported_parameter',
      ),
    ),
  repair: (body, context) => withReasoning(body, without(reasoningOf(body), ...refusedReasoning(body, context))),
};

function refusedReasoning(body: ResponsesBody, { model, traits }: RuleContext): readonly string[] {
  if (!model.known) return [];
  const refused = traits.efforts.length === 0 ? ['effort', 'summary', 'context'] : traits.summaries ? [] : ['summary'];
  if (!traits.modes) refused.push('mode');
  return refused.filter((key) => reasoningOf(body)[key] != null);
}

export const allTurnsIsSupported: ResponsesRule = {
  id: 'OAR-PARAM-4',
  title: 'Only models that keep reasoning over all turns are asked to.',
  reference: 'https://platform.openai.com/docs/api-reference/responses/create',
  kind: 'rejection',
  check: (body, { model, traits }) =>
    model.known && traits.efforts.length > 0 && !traits.allTurns && reasoningOf(body)['context'] === 'all_turns'
      ? [
          rejection(
            'reasoning.context',
            `Unsupported value: 'all_turns' is not supported with the '${model.id}' model. Supported values are: 'auto' and 'current_turn'.`,
            'unsupported_value',
          ),
        ]
      : [],
  repair: (body) => withReasoning(body, without(reasoningOf(body), 'context')),
};

export const enoughOutputTokens: ResponsesRule = {
  id: 'OAR-PARAM-5',
  title: 'The output limit is at least 16 tokens.',
  reference: 'https://github.com/earendil-works/pi/issues/6265',
  kind: 'rejection',
  check: (body) => {
    const limit = numberOf(body['max_output_tokens']);
    if (limit === undefined || limit >= MIN_OUTPUT_TOKENS) return [];
    return [
      rejection(
        'max_output_tokens',
        `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${limit} instead.`,
        'integer_below_min_value',
      ),
    ];
  },
  repair: (body) => ({ ...body, max_output_tokens: MIN_OUTPUT_TOKENS }),
};

const includesEncrypted = (body: ResponsesBody): boolean => listOf(body['include']).includes(ENCRYPTED_REASONING);

export const encryptedReasoningIsKnown: ResponsesRule = {
  id: 'OAR-PARAM-6',
  title: 'A model that does not reason is not asked for encrypted reasoning.',
  reference: 'https://github.com/microsoft/agent-framework/issues/7483',
  kind: 'rejection',
  check: (body, { model, traits }) =>
    model.known && traits.efforts.length === 0 && includesEncrypted(body)
      ? [rejection('include', 'Encrypted content is not supported with this model.')]
      : [],
  repair: (body) => ({ ...body, include: listOf(body['include']).filter((value) => value !== ENCRYPTED_REASONING) }),
};

export const encryptedReasoningIsAskedFor: ResponsesRule = {
  id: 'OAR-PARAM-7',
  title: 'Where it does not come by itself, encrypted reasoning is asked for: else the next request has none to send.',
  reference: 'https://developers.openai.com/api/docs/guides/reasoning#keeping-reasoning-items-in-context',
  kind: 'silent',
  check: (body, { model, traits, quirks }) =>
    !quirks.encryptsByDefault &&
    model.known &&
    traits.efforts.length > 0 &&
    body['store'] === false &&
    !includesEncrypted(body)
      ? [
          {
            path: 'include',
            message: 'The reply will come without encrypted reasoning, so that the next request loses it.',
            status: 200,
          },
        ]
      : [],
};

const onlyLongRetention = (id: string): boolean => Number(/^gpt-(\d+(?:\.\d+)?)/.exec(id)?.[1] ?? 0) >= 5.5;

export const retentionIsSupported: ResponsesRule = {
  id: 'OAR-PARAM-8',
  title: 'Since GPT-5.5 the cache is kept for 24 hours or not asked about.',
  reference: 'https://platform.openai.com/docs/guides/prompt-caching',
  kind: 'rejection',
  check: (body, { model }) => {
    const retention = stringOf(body['prompt_cache_retention']);
    if (retention === undefined || retention === '24h' || !model.known || !onlyLongRetention(model.id)) return [];
    return [
      rejection(
        'prompt_cache_retention',
        `Unsupported value: '${retention}' is not supported with the '${model.id}' model. Supported values are: ${quoted(['24h'])}.`,
        'unsupported_value',
      ),
    ];
  },
  repair: (body) => without(body, 'prompt_cache_retention'),
};
