import { BoughError, isPlainObject } from '@bough/core';
import type { Deployment } from '../../deployment.ts';
import type { ModelInfo } from '../../models/model.ts';

/**
 * Everything in which servers of this protocol differ, in one flat table. A deployment declares its own values, a
 * model's `traits` override them; nothing is guessed from a URL or a model name anywhere else.
 */
export interface Quirks {
  /** Whose wording a rejection uses, and which envelope the simulator answers with. */
  readonly dialect: Dialect;

  /** Where the server takes reasoning back. `none`: nowhere. */
  readonly reasoning: (typeof REASONING_FIELDS)[number];
  /**
   * Which assistant messages must carry it while the model thinks. `with_tools`: every one, if the request offers
   * tools.
   */
  readonly demands: (typeof DEMANDS)[number];
  /**
   * Fills the field of a message whose reasoning nobody has (another model's turn): the emptiest value that the server
   * accepts as present. Null if there is none: then the calls of that turn are sent as text. Required if every reply
   * must carry reasoning.
   */
  readonly blankReasoning: string | null;
  /** Google's signature travels on the tool call (`extra_content`); `demanded` on the first call of each message. */
  readonly callSignatures: (typeof CALL_SIGNATURES)[number];
  /** False for a model that refuses reasoning in its input. */
  readonly takesReasoning: boolean;
  /** The server drops old reasoning unless this parameter says otherwise. */
  readonly keepsReasoning: (typeof KEEPS)[number];

  readonly tokens: 'max_tokens' | 'max_completion_tokens';
  readonly streamUsage: boolean;
  /** The tool call ids that the server takes: Mistral nine letters or digits, OpenAI at most forty characters, … */
  readonly toolIds: (typeof TOOL_IDS)[number];
  readonly roleOrder: (typeof ROLE_ORDERS)[number];
  /** Where the server takes system messages. */
  readonly systemPlace: (typeof SYSTEM_PLACES)[number];
  /** The role of the system prompt. `user`: the model refuses system and developer messages. */
  readonly systemRole: (typeof SYSTEM_ROLES)[number];
  /** Whether the conversation may end with an assistant message. */
  readonly lastMessage: (typeof LAST_MESSAGES)[number];
  /** The content of an assistant message that only calls tools. */
  readonly toolOnlyContent: (typeof TOOL_ONLY_CONTENTS)[number];
  readonly emptyContent: 'accepted' | 'rejected';
  readonly unknownKeys: 'ignored' | 'rejected';
  /** Part types that a content array may hold. */
  readonly contentParts: readonly string[];

  /** How the request asks for thinking. */
  readonly thinking: (typeof THINKING_FORMS)[number];
  /** The values of an effort parameter that the model takes, weakest first. Empty: it takes none. */
  readonly efforts: readonly string[];
  /** True if a model that can think does so without being asked. */
  readonly thinksByDefault: boolean;
  /** Beside function tools no effort but `none` is taken. */
  readonly toolsNeedNoEffort: boolean;
  /** Beside function tools the effort `none` must be given: without any effort the request is refused too. */
  readonly toolsNeedExplicitNone: boolean;
  /** A forced `tool_choice` is refused while the model thinks. */
  readonly forcedToolChoice: 'accepted' | 'rejected';
  /** Whether the model takes `temperature` and related parameters. */
  readonly sampling: 'accepted' | 'rejected' | 'ignored';
  /** Thinking works only in a stream. */
  readonly thinkingNeedsStream: boolean;
  /** Groq: the parameter that keeps `<think>` out of the text. */
  readonly reasoningFormat: string | null;
}

const DIALECTS = [
  'generic',
  'openai',
  'deepseek',
  'moonshot',
  'mistral',
  'groq',
  'cerebras',
  'dashscope',
  'openrouter',
  'xai',
  'llamacpp',
  'ollama',
  'perplexity',
  'gemini',
] as const;
export type Dialect = (typeof DIALECTS)[number];

const REASONING_FIELDS = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'think_tags',
  'thinking_chunks',
  'none',
] as const;
const DEMANDS = ['never', 'tool_calls', 'with_tools', 'always'] as const;
const CALL_SIGNATURES = ['demanded', 'accepted', 'none'] as const;
const KEEPS = ['always', 'thinking.keep', 'thinking.clear_thinking', 'preserve_thinking'] as const;
const TOOL_IDS = ['any', 'max40', 'word64', 'alnum9'] as const;
const ROLE_ORDERS = ['free', 'mistral', 'alternating'] as const;
const SYSTEM_PLACES = ['first', 'anywhere'] as const;
const SYSTEM_ROLES = ['system', 'user'] as const;
const LAST_MESSAGES = ['any', 'one_assistant', 'not_assistant'] as const;
const TOOL_ONLY_CONTENTS = ['null', 'empty', 'omitted'] as const;
const THINKING_FORMS = [
  'none',
  'reasoning_effort',
  'thinking_type',
  'enable_thinking',
  'chat_template_kwargs',
  'reasoning_object',
] as const;

/** The assumptions about a server that declares nothing: the forgiving middle of the compatible ones. */
export const DEFAULT_QUIRKS: Quirks = {
  dialect: 'generic',
  reasoning: 'none',
  demands: 'never',
  blankReasoning: null,
  callSignatures: 'none',
  takesReasoning: true,
  keepsReasoning: 'always',
  tokens: 'max_tokens',
  streamUsage: true,
  toolIds: 'any',
  roleOrder: 'free',
  systemPlace: 'first',
  systemRole: 'system',
  lastMessage: 'any',
  toolOnlyContent: 'null',
  emptyContent: 'accepted',
  unknownKeys: 'ignored',
  contentParts: ['text', 'image_url', 'input_audio', 'file', 'refusal', 'thinking', 'reference'],
  thinking: 'none',
  efforts: ['low', 'medium', 'high'],
  thinksByDefault: false,
  toolsNeedNoEffort: false,
  toolsNeedExplicitNone: false,
  forcedToolChoice: 'accepted',
  sampling: 'accepted',
  thinkingNeedsStream: false,
  reasoningFormat: null,
};

type Check = (value: unknown) => boolean;
const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const isStringOrNull: Check = (value) => value === null || typeof value === 'string';
const isStringList: Check = (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const CHECKS: Readonly<Record<keyof Quirks, Check>> = {
  dialect: oneOf(...DIALECTS),
  reasoning: oneOf(...REASONING_FIELDS),
  demands: oneOf(...DEMANDS),
  blankReasoning: isStringOrNull,
  callSignatures: oneOf(...CALL_SIGNATURES),
  takesReasoning: isBoolean,
  keepsReasoning: oneOf(...KEEPS),
  tokens: oneOf('max_tokens', 'max_completion_tokens'),
  streamUsage: isBoolean,
  toolIds: oneOf(...TOOL_IDS),
  roleOrder: oneOf(...ROLE_ORDERS),
  systemPlace: oneOf(...SYSTEM_PLACES),
  systemRole: oneOf(...SYSTEM_ROLES),
  lastMessage: oneOf(...LAST_MESSAGES),
  toolOnlyContent: oneOf(...TOOL_ONLY_CONTENTS),
  emptyContent: oneOf('accepted', 'rejected'),
  unknownKeys: oneOf('ignored', 'rejected'),
  contentParts: isStringList,
  thinking: oneOf(...THINKING_FORMS),
  efforts: isStringList,
  thinksByDefault: isBoolean,
  toolsNeedNoEffort: isBoolean,
  toolsNeedExplicitNone: isBoolean,
  forcedToolChoice: oneOf('accepted', 'rejected'),
  sampling: oneOf('accepted', 'rejected', 'ignored'),
  thinkingNeedsStream: isBoolean,
  reasoningFormat: isStringOrNull,
};

/** A quirk that a configuration names and this protocol does not know, or whose value makes no sense. */
export class InvalidQuirkError extends BoughError {
  constructor(key: string) {
    super(
      'invalid_quirk',
      `The quirk "${key}" is unknown or has a value that is not allowed. Known quirks: ${Object.keys(CHECKS).join(', ')}.`,
    );
  }
}

/**
 * Replies without calls cannot be described in words: if every reply must carry reasoning, one that has none needs a
 * blank.
 */
export class MissingBlankError extends BoughError {
  constructor(demands: string) {
    super(
      'invalid_quirk',
      `With "demands": "${demands}", say with "blankReasoning" what the server takes where a reply of another model has no reasoning: "" or " " do for most.`,
    );
  }
}

/** Checks quirks from a configuration file: a misspelt one must not silently leave the default in force. */
export function parseQuirks(value: unknown, inherited: Readonly<Record<string, unknown>> = {}): Partial<Quirks> {
  if (value === undefined) return {};
  if (!isPlainObject(value)) throw new InvalidQuirkError('quirks');
  for (const [key, entry] of Object.entries(value)) {
    if (!isQuirk(key) || !CHECKS[key](entry)) throw new InvalidQuirkError(key);
  }
  const { demands, blankReasoning } = { ...inherited, ...value };
  if ((demands === 'with_tools' || demands === 'always') && typeof blankReasoning !== 'string')
    throw new MissingBlankError(demands);
  return value;
}

/** The one place where quirks are read: defaults, then the deployment's, then the model's own. */
export function quirksOf(deployment: Pick<Deployment, 'quirks'>, model: Pick<ModelInfo, 'traits'>): Quirks {
  return { ...DEFAULT_QUIRKS, ...declared(deployment.quirks), ...declared(model.traits) };
}

function declared(values: Readonly<Record<string, unknown>>): Partial<Quirks> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => isQuirk(key) && CHECKS[key](value)));
}

function isQuirk(key: string): key is keyof Quirks {
  return Object.hasOwn(CHECKS, key);
}
