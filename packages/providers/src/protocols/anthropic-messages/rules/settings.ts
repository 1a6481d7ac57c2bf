import { isPlainObject } from '@bough/core';
import type { Body, ThinkingMode } from '../wire.ts';
import { thinkingMode } from '../wire.ts';
import type { ClaudeRule, RuleContext } from './context.ts';
import { DOCS, finding, isSince } from './context.ts';
import { without } from './repair.ts';

function member(body: Body, key: string, name: string): unknown {
  const value = body[key];
  return isPlainObject(value) ? value[name] : undefined;
}

const thinkingType = (body: Body) => member(body, 'thinking', 'type');
function effortOf(body: Body): string | undefined {
  const effort = member(body, 'output_config', 'effort');
  return typeof effort === 'string' ? effort : undefined;
}

const ADAPTIVE_ADVICE = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
const REFUSED_TYPE: Readonly<Record<string, string>> = {
  enabled: `"thinking.type.enabled" is not supported for this model. ${ADAPTIVE_ADVICE}`,
  disabled: `"thinking.type.disabled" is not supported for this model. ${ADAPTIVE_ADVICE}`,
  between_tools: `"thinking.type.between_tools" is not supported for this model. ${ADAPTIVE_ADVICE}`,
  adaptive: 'adaptive thinking is not supported on this model',
};

const knownThinkingType: ClaudeRule = {
  id: 'ANT-SET-1',
  title: 'The model takes the way of thinking that is asked for.',
  reference: DOCS.errors,
  kind: 'rejection',
  check: (body, { traits }) => {
    const type = thinkingType(body);
    if (typeof type !== 'string' || traits.thinking.length === 0) return [];
    const message = REFUSED_TYPE[type];
    if (message === undefined) {
      return [
        finding(
          'thinking.type',
          `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags`,
        ),
      ];
    }
    return traits.thinking.some((accepted) => accepted === type) ? [] : [finding('thinking.type', message)];
  },
  repair: (body) => without(body, ['thinking']),
};

const smallestBudget: ClaudeRule = {
  id: 'ANT-SET-2',
  title: 'A thinking budget is at least 1024 tokens.',
  reference: DOCS.manual,
  kind: 'rejection',
  check: (body) => {
    if (thinkingType(body) !== 'enabled') return [];
    const budget = member(body, 'thinking', 'budget_tokens');
    const path = 'thinking.enabled.budget_tokens';
    if (typeof budget !== 'number') return [finding(path, `${path}: Field required`)];
    return budget >= 1024 ? [] : [finding(path, `${path}: Input should be greater than or equal to 1024`)];
  },
};

const budgetFits: ClaudeRule = {
  id: 'ANT-SET-3',
  title: 'A thinking budget leaves room for the reply.',
  reference: DOCS.manual,
  kind: 'rejection',
  check: (body, { betas }) => {
    const budget = member(body, 'thinking', 'budget_tokens');
    const limit = body['max_tokens'];
    if (thinkingType(body) !== 'enabled' || typeof budget !== 'number' || typeof limit !== 'number') return [];
    if (limit > budget || betas.some((beta) => beta.startsWith('interleaved-thinking-'))) return [];
    return [finding('max_tokens', '`max_tokens` must be greater than `thinking.budget_tokens`.')];
  },
};

const displayNeedsThinking: ClaudeRule = {
  id: 'ANT-SET-4',
  title: 'Thinking that is off has no display.',
  reference: DOCS.thinking,
  kind: 'rejection',
  check: (body) =>
    thinkingType(body) === 'disabled' && member(body, 'thinking', 'display') !== undefined
      ? [finding('thinking.disabled.display', 'thinking.disabled.display: Extra inputs are not permitted')]
      : [],
  repair: (body) => ({ ...body, thinking: { type: 'disabled' } }),
};

const betweenToolsIsBare: ClaudeRule = {
  id: 'ANT-SET-5',
  title: 'Thinking between tools takes no other setting, and an effort of high at most.',
  reference: DOCS.sonnet55,
  kind: 'rejection',
  check: (body) => {
    const thinking = body['thinking'];
    if (!isPlainObject(thinking) || thinking['type'] !== 'between_tools') return [];
    const extra = Object.keys(thinking)
      .filter((key) => key !== 'type')
      .map((key) => `thinking.between_tools.${key}`);
    const effort = effortOf(body);
    return [
      ...extra.map((path) => finding(path, `${path}: Extra inputs are not permitted`)),
      ...(effort === 'xhigh' || effort === 'max'
        ? [finding('output_config.effort', `effort '${effort}' is not supported with thinking.type.between_tools`)]
        : []),
    ];
  },
  repair: (body) => ({ ...body, thinking: { type: 'between_tools' } }),
};

const effortWithoutThinking: ClaudeRule = {
  id: 'ANT-SET-6',
  title: 'An effort above high needs thinking.',
  reference: DOCS.troubleshooting,
  kind: 'rejection',
  check: (body) => {
    const effort = effortOf(body);
    return thinkingType(body) === 'disabled' && (effort === 'xhigh' || effort === 'max')
      ? [finding('output_config.effort', `thinking cannot be disabled at effort level '${effort}'`)]
      : [];
  },
};

const knownEffort: ClaudeRule = {
  id: 'ANT-SET-7',
  title: 'The model knows the effort that is asked for.',
  reference: DOCS.effort,
  kind: 'rejection',
  check: (body, { traits, model }) => {
    const effort = effortOf(body);
    if (effort === undefined || !model.known || traits.effort.some((level) => level === effort)) return [];
    const path = 'output_config.effort';
    if (traits.effort.length === 0) return [finding(path, 'This model does not support the effort parameter.')];
    const levels = [...traits.effort].sort().join(', ');
    return [finding(path, `This model does not support effort level '${effort}'. Supported levels: ${levels}.`)];
  },
  repair: (body) => without(body, ['output_config']),
};

const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** The version since which the three do not exist, whatever the model. */
const WITHOUT_SAMPLING = '2026-10-21';

function refusedSampling(body: Body, { traits, version }: RuleContext): readonly string[] {
  if (isSince(version, WITHOUT_SAMPLING)) {
    return SAMPLING.filter((key) => body[key] !== undefined).map((key) => `${key}: Extra inputs are not permitted`);
  }
  const { temperature, top_p: topP, top_k: topK } = body;
  const given = SAMPLING.filter((key) => body[key] !== undefined && body[key] !== null);
  const thinks = thinkingMode(body, traits) !== 'off';
  switch (traits.sampling) {
    case 'rejected':
      return given
        .filter((key) => !(key === 'temperature' && temperature === 1))
        .map((key) => `\`${key}\` is not supported for this model.`);
    case 'fixed':
      return [
        ...(temperature !== undefined && temperature !== 1 ? ['`temperature` must be 1 for this model.'] : []),
        ...(topP !== undefined && topP !== 0.99 ? ['`top_p` must be 0.99 for this model.'] : []),
        ...(topK !== undefined ? ['`top_k` is not supported for this model.'] : []),
        ...(temperature !== undefined && topP !== undefined
          ? ['`temperature` and `top_p` cannot both be specified for this model.']
          : []),
      ];
    case 'thinking_off':
      if (!thinks) return [];
      return [
        ...(temperature !== undefined && temperature !== 1
          ? ['`temperature` may only be set to 1 when thinking is enabled.']
          : []),
        ...(typeof topP === 'number' && topP < 0.95
          ? ['`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode']
          : []),
        ...(topK !== undefined && topK !== null ? ['`top_k` must be unset when thinking is enabled.'] : []),
      ];
  }
}

const allowedSampling: ClaudeRule = {
  id: 'ANT-SET-8',
  title: 'Sampling parameters are sent only where the version of the API and the model take them.',
  reference: DOCS.thinking,
  kind: 'rejection',
  check: (body, context) => refusedSampling(body, context).map((message) => finding('temperature', message)),
  repair: (body) => without(body, SAMPLING),
};

const forcedToolChoice: ClaudeRule = {
  id: 'ANT-SET-9',
  title: 'A call is forced only where the model lets itself be forced.',
  reference: 'https://github.com/mastra-ai/mastra/issues/7507',
  kind: 'rejection',
  check: (body, { traits }) => {
    const choice = member(body, 'tool_choice', 'type');
    if (choice !== 'any' && choice !== 'tool') return [];
    const mode: ThinkingMode = thinkingMode(body, traits);
    switch (traits.forcedToolChoice) {
      case 'accepted':
        return [];
      case 'rejected':
        return [finding('tool_choice', 'tool_choice: type "tool" and "any" are not supported for this model.')];
      case 'rejected_in_manual_mode':
      case 'rejected_while_thinking': {
        const refused = traits.forcedToolChoice === 'rejected_in_manual_mode' ? mode === 'manual' : mode !== 'off';
        return refused ? [finding('tool_choice', 'Thinking may not be enabled when tool_choice forces tool use.')] : [];
      }
    }
  },
};

const outputLimit: ClaudeRule = {
  id: 'ANT-SET-10',
  title: 'The reply is not allowed to be longer than the model can write.',
  reference: 'https://github.com/anthropics/claude-code/issues/24451',
  kind: 'rejection',
  check: (body, { model }) => {
    const limit = body['max_tokens'];
    if (typeof limit !== 'number') return [finding('max_tokens', 'max_tokens: Field required')];
    if (limit < 0) return [finding('max_tokens', 'max_tokens: Input should be greater than or equal to 0')];
    if (!model.known || limit <= model.maxOutputTokens) return [];
    return [
      finding(
        'max_tokens',
        `max_tokens: ${limit} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
      ),
    ];
  },
};

/** What a request that only fills the cache may not ask for. */
function refusedWarming(body: Body): readonly string[] {
  if (body['max_tokens'] !== 0) return [];
  const choice = member(body, 'tool_choice', 'type');
  return [
    ...(body['stream'] === true ? ['stream'] : []),
    ...(thinkingType(body) === 'enabled' ? ['thinking'] : []),
    ...(member(body, 'output_config', 'format') !== undefined ? ['output_config.format'] : []),
    ...(choice === 'any' || choice === 'tool' ? ['tool_choice'] : []),
  ];
}

const warmingIsPlain: ClaudeRule = {
  id: 'ANT-SET-11',
  title: 'A request that only fills the cache (no output tokens) asks for no reply of any kind.',
  reference: DOCS.caching,
  kind: 'rejection',
  check: (body) => refusedWarming(body).map((path) => finding(path, `${path}: not supported when \`max_tokens\` is 0`)),
};

const CLEARS_THINKING = 'clear_thinking_20251015';

function editsOf(body: Body): readonly unknown[] {
  const edits: unknown = member(body, 'context_management', 'edits');
  return Array.isArray(edits) ? edits : [];
}

const isEdit = (edit: unknown, type: string) => isPlainObject(edit) && edit['type'] === type;

const thinkingIsClearedFirst: ClaudeRule = {
  id: 'ANT-SET-12',
  title: 'Of the edits of a context, clearing thoughts comes first.',
  reference: DOCS.betaTypes,
  kind: 'rejection',
  check: (body) =>
    editsOf(body).flatMap((edit, at) =>
      at > 0 && isEdit(edit, CLEARS_THINKING)
        ? [
            finding(
              `context_management.edits.${at}`,
              `context_management.edits.${at}: \`${CLEARS_THINKING}\` must be the first edit`,
            ),
          ]
        : [],
    ),
  repair: (body) => {
    const edits = editsOf(body);
    const first = edits.filter((edit) => isEdit(edit, CLEARS_THINKING));
    const rest = edits.filter((edit) => !isEdit(edit, CLEARS_THINKING));
    const management = isPlainObject(body['context_management']) ? body['context_management'] : {};
    return { ...body, context_management: { ...management, edits: [...first.slice(0, 1), ...rest] } };
  },
};

export const settingRules: readonly ClaudeRule[] = [
  knownThinkingType,
  smallestBudget,
  budgetFits,
  displayNeedsThinking,
  betweenToolsIsBare,
  effortWithoutThinking,
  knownEffort,
  allowedSampling,
  forcedToolChoice,
  outputLimit,
  warmingIsPlain,
  thinkingIsClearedFirst,
];
