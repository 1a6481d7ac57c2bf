import { isPlainObject } from '@bough/core';
import type { Dialect } from '../traits.ts';
import type { Json } from '../response/json.ts';
import { listAt, numberAt, stringAt } from '../response/json.ts';
import { isThinking } from '../request/thinking.ts';
import type { ChatContext, ChatRule } from './context.ts';
import { finding, without } from './context.ts';

const unsupported = (key: string): { errorCode: string; message: string } => ({
  errorCode: 'unsupported_parameter',
  message: `Unsupported parameter: '${key}' is not supported with this model.`,
});

/** A parameter that the server does not know, reported in the server's own words. */
function unknownParameter(dialect: Dialect, key: string): ReturnType<typeof finding> {
  return dialect === 'mistral'
    ? finding(key, 'Extra inputs are not permitted', { status: 422, errorCode: 'extra_forbidden' })
    : finding(key, `Unrecognized request argument supplied: ${key}`);
}

export const tokenParameter: ChatRule = {
  id: 'OAC-PARAM-1',
  title: 'The token limit stands under the name that the server takes.',
  reference: 'https://github.com/MaximeRivest/riddle/issues/7',
  kind: 'rejection',
  check: (body, { quirks, model }) => {
    if (quirks.tokens === 'max_completion_tokens' && quirks.dialect === 'openai') {
      const refuses = body['max_tokens'] !== undefined && (model.canThink || model.alwaysThinks);
      const { message, errorCode } = unsupported('max_tokens');
      return refuses ? [finding('max_tokens', `${message} Use 'max_completion_tokens' instead.`, { errorCode })] : [];
    }
    return quirks.dialect === 'mistral' && body['max_completion_tokens'] !== undefined
      ? [unknownParameter(quirks.dialect, 'max_completion_tokens')]
      : [];
  },
  repair: (body, { quirks }) => {
    const limit = body['max_tokens'] ?? body['max_completion_tokens'];
    return { ...without(body, 'max_tokens', 'max_completion_tokens'), [quirks.tokens]: limit };
  },
};

export const streamOptions: ChatRule = {
  id: 'OAC-PARAM-2',
  title: 'Stream options go only to a server that knows them, and only with a stream.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options',
  kind: 'rejection',
  check: (body, { quirks }) => {
    if (body['stream_options'] === undefined || body['stream_options'] === null) return [];
    if (!quirks.streamUsage) return [unknownParameter(quirks.dialect, 'stream_options')];
    return quirks.dialect === 'openai' && body['stream'] !== true
      ? [finding('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")]
      : [];
  },
  repair: (body) => without(body, 'stream_options'),
};

const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const;
const sent = (body: Json): readonly string[] => SAMPLING.filter((key) => body[key] !== undefined && body[key] !== null);

export const samplingParameters: ChatRule = {
  id: 'OAC-PARAM-3',
  title: 'A reasoning model with fixed sampling gets no sampling parameters.',
  reference: 'https://platform.openai.com/docs/guides/reasoning',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.sampling === 'rejected'
      ? sent(body)
          .filter((key) => body[key] !== 1 || key !== 'temperature')
          .map((key) =>
            quirks.dialect === 'moonshot'
              ? finding(key, `invalid ${key}: only 1 is allowed for this model`)
              : finding(key, unsupported(key).message, { errorCode: unsupported(key).errorCode }),
          )
      : [],
  repair: (body) => without(body, ...SAMPLING),
};

const isForced = (choice: unknown): boolean => choice === 'required' || choice === 'any' || isPlainObject(choice);

export const noForcedToolWhileThinking: ChatRule = {
  id: 'OAC-PARAM-4',
  title: 'While the model thinks, no tool is forced.',
  reference: 'https://github.com/cloudwego/eino/issues/994',
  kind: 'rejection',
  check: (body, { quirks, model }) =>
    quirks.forcedToolChoice === 'rejected' && isForced(body['tool_choice']) && isThinking(body, quirks, model)
      ? [
          finding(
            'tool_choice',
            quirks.dialect === 'dashscope'
              ? '<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode'
              : 'Thinking mode does not support this tool_choice',
          ),
        ]
      : [],
  repair: (body) => ({ ...body, tool_choice: 'auto' }),
};

/** True if the request tells the model not to think. */
function switchesOff(body: Json, { quirks, model }: ChatContext): boolean {
  return !isThinking(
    { ...body, stream: undefined },
    { ...quirks, thinksByDefault: true },
    { ...model, alwaysThinks: false },
  );
}

export const thinkingStaysOn: ChatRule = {
  id: 'OAC-PARAM-5',
  title: 'A model that always thinks is not told to stop.',
  reference: 'https://docs.together.ai/docs/glm-5.3-quickstart',
  kind: 'rejection',
  check: (body, context) =>
    context.model.alwaysThinks && switchesOff(body, context)
      ? [
          finding(
            'thinking',
            context.quirks.dialect === 'moonshot'
              ? 'invalid thinking: only type=enabled is allowed for this model'
              : `${context.model.id} is a thinking-only model; disabling thinking (reasoning_effort='none') is not supported.`,
          ),
        ]
      : [],
  repair: (body) =>
    without(body, 'thinking', 'reasoning_effort', 'enable_thinking', 'reasoning', 'chat_template_kwargs'),
};

export const thinkingInAStream: ChatRule = {
  id: 'OAC-PARAM-6',
  title: 'Where thinking works only in a stream, it is not switched on without one.',
  reference: 'https://github.com/langchain4j/langchain4j/issues/3974',
  kind: 'rejection',
  check: (body, { quirks, model }) =>
    quirks.thinkingNeedsStream && body['stream'] !== true && isThinking(body, quirks, model)
      ? [finding('enable_thinking', 'parameter.enable_thinking must be set to false for non-streaming calls')]
      : [],
  repair: (body) => ({ ...without(body, 'thinking_budget'), enable_thinking: false }),
};

/** Servers that map or ignore an effort that they do not know. */
const LENIENT_EFFORT: ReadonlySet<Dialect> = new Set(['deepseek', 'moonshot', 'ollama', 'openrouter', 'llamacpp']);

export const effortIsKnown: ChatRule = {
  id: 'OAC-PARAM-7',
  title: 'The reasoning effort is one that the model takes.',
  reference: 'https://github.com/NousResearch/hermes-agent/pull/23435',
  kind: 'rejection',
  check: (body, { quirks, model }) => {
    const effort = stringAt(body, 'reasoning_effort');
    if (effort === null || LENIENT_EFFORT.has(quirks.dialect) || quirks.efforts.includes(effort)) return [];
    // Of an unlisted model nothing is known, except at xAI: there a model takes no effort unless it is listed with one.
    if (!model.known && quirks.dialect !== 'xai') return [];
    if (quirks.dialect === 'xai' && quirks.efforts.length === 0) {
      return [finding('reasoning_effort', `Model ${model.id} does not support parameter reasoningEffort.`)];
    }
    if (quirks.efforts.length === 0) {
      const { message, errorCode } = unsupported('reasoning_effort');
      return [finding('reasoning_effort', message, { errorCode })];
    }
    const known = quirks.efforts.map((name) => `'${name}'`).join(', ');
    const text = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${known}.`;
    return [finding('reasoning_effort', text, { errorCode: 'unsupported_value' })];
  },
  repair: (body) => without(body, 'reasoning_effort'),
};

export const noEffortWithTools: ChatRule = {
  id: 'OAC-PARAM-8',
  title: 'Models that use tools on this API only without reasoning get the effort `none` beside tools.',
  reference: 'https://github.com/BerriAI/litellm/pull/34569',
  kind: 'rejection',
  check: (body, { quirks, model }) => {
    const effort = stringAt(body, 'reasoning_effort');
    const isMissing = effort === null && quirks.toolsNeedExplicitNone;
    const isWrong = effort !== null && effort !== 'none' && (quirks.toolsNeedNoEffort || quirks.toolsNeedExplicitNone);
    if (listAt(body, 'tools').length === 0 || !(isMissing || isWrong)) return [];
    const way = quirks.toolsNeedExplicitNone
      ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
      : 'Please use /v1/responses instead.';
    const problem = `Function tools with reasoning_effort are not supported for ${model.id} in /v1/chat/completions.`;
    return [finding('reasoning_effort', `${problem} ${way}`)];
  },
  repair: (body) => ({ ...body, reasoning_effort: 'none' }),
};

export const toolsAreOffered: ChatRule = {
  id: 'OAC-PARAM-9',
  title: 'A tool choice comes with tools, and a list of tools is not empty.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-tool_choice',
  kind: 'rejection',
  check: (body, { quirks }) => {
    if (quirks.dialect !== 'openai' || listAt(body, 'tools').length > 0) return [];
    if (Array.isArray(body['tools'])) {
      const text =
        "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
      return [finding('tools', text, { errorCode: 'empty_array' })];
    }
    return body['tool_choice'] === undefined
      ? []
      : [
          finding(
            'tool_choice',
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
          ),
        ];
  },
  repair: (body) => without(body, 'tools', 'tool_choice'),
};

export const noRawReasoningWithTools: ChatRule = {
  id: 'OAC-PARAM-10',
  title: 'Beside tools the reasoning is not asked for as raw text.',
  reference: 'https://console.groq.com/docs/reasoning',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.dialect === 'groq' && body['reasoning_format'] === 'raw' && listAt(body, 'tools').length > 0
      ? [finding('reasoning_format', '`reasoning_format` must be `parsed` or `hidden` when using tools or JSON mode')]
      : [],
  repair: (body) => ({ ...body, reasoning_format: 'parsed' }),
};

export const tokensArePositive: ChatRule = {
  id: 'OAC-PARAM-11',
  title: 'The token limit is a whole number of at least one.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_completion_tokens',
  kind: 'rejection',
  check: (body) =>
    ['max_tokens', 'max_completion_tokens'].flatMap((key) => {
      const value = body[key];
      if (value === undefined || value === null) return [];
      const limit = numberAt(body, key);
      if (limit !== null && Number.isInteger(limit) && limit >= 1) return [];
      const text = `Invalid '${key}': integer below minimum value. Expected a value >= 1, but got ${JSON.stringify(value)} instead.`;
      return [finding(key, text, { errorCode: 'integer_below_min_value' })];
    }),
};

export const modelUsesTools: ChatRule = {
  id: 'OAC-PARAM-12',
  title: 'A model that cannot use tools is offered none.',
  reference: 'https://platform.openai.com/docs/guides/function-calling',
  kind: 'rejection',
  check: (body, { model }) =>
    !model.canUseTools && listAt(body, 'tools').length > 0
      ? [
          finding(
            'tools',
            'tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling.',
            { status: 404 },
          ),
        ]
      : [],
  repair: (body) => without(body, 'tools', 'tool_choice'),
};

const CACHE_KEYS = ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'] as const;

export const noForeignCacheKeys: ChatRule = {
  id: 'OAC-PARAM-13',
  title: 'OpenAI’s cache parameters go to OpenAI: a strict server refuses them, and the others cache by themselves.',
  reference: 'https://developers.openai.com/api/docs/guides/prompt-caching',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.unknownKeys === 'rejected' && quirks.dialect !== 'openai'
      ? CACHE_KEYS.filter((key) => body[key] != null).map((key) => unknownParameter(quirks.dialect, key))
      : [],
  repair: (body) => without(body, ...CACHE_KEYS),
};

export const PARAMETER_RULES: readonly ChatRule[] = [
  tokenParameter,
  streamOptions,
  samplingParameters,
  noForcedToolWhileThinking,
  thinkingStaysOn,
  thinkingInAStream,
  effortIsKnown,
  noEffortWithTools,
  toolsAreOffered,
  noRawReasoningWithTools,
  tokensArePositive,
  modelUsesTools,
  noForeignCacheKeys,
];
