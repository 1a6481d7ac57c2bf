import { isPlainObject } from '@bough/core';
import type { Dialect } from '../traits.ts';
import { listAt, objectAt, parseObject, stringAt } from '../response/json.ts';
import { hasHalfCharacter, withoutHalfCharacters } from '../../../render/half-characters.ts';
import type { ChatRule } from './context.ts';
import { assistants, callsOf, finding, mapMessages, messagesOf } from './context.ts';

const COMMON_ROLES = ['system', 'user', 'assistant', 'tool'];
/** Servers that name the roles that they take, and refuse OpenAI's newer ones. */
const STRICT_ROLES: ReadonlySet<Dialect> = new Set(['deepseek', 'mistral', 'moonshot', 'perplexity']);

export const messagesAreObjects: ChatRule = {
  id: 'OAC-SHAPE-1',
  title: 'A request holds at least one message, and every message is an object with a role that the server knows.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create',
  kind: 'rejection',
  check: (body, { quirks }) => {
    const messages = listAt(body, 'messages');
    if (messages.length === 0) {
      return [
        finding(
          'messages',
          "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
          { errorCode: 'empty_array' },
        ),
      ];
    }
    const roles = STRICT_ROLES.has(quirks.dialect) ? COMMON_ROLES : [...COMMON_ROLES, 'developer', 'function'];
    return messages.flatMap((message, index) => {
      if (!isPlainObject(message)) {
        const text = `Invalid type for 'messages[${index}]': expected an object, but got a ${typeof message} instead.`;
        return [finding(`messages.${index}`, text, { errorCode: 'invalid_type' })];
      }
      const role = stringAt(message, 'role') ?? '';
      return roles.includes(role)
        ? []
        : [finding(`messages.${index}.role`, unknownRole(quirks.dialect, index, role, roles))];
    });
  },
};

function unknownRole(dialect: Dialect, index: number, role: string, roles: readonly string[]): string {
  return dialect === 'deepseek'
    ? `Failed to deserialize the JSON body into the target type: messages[${index}].role: unknown variant \`${role}\`, expected one of ${roles.map((name) => `\`${name}\``).join(', ')}`
    : `Invalid value: '${role}'. Supported values are: ${roles.map((name) => `'${name}'`).join(', ')}.`;
}

export const contentPartsAreKnown: ChatRule = {
  id: 'OAC-SHAPE-2',
  title: 'A content array holds only part types that the server reads.',
  reference: 'https://github.com/0xPlaygrounds/rig/tree/main/tests/cassettes/deepseek',
  kind: 'rejection',
  check: (body, { quirks }) =>
    messagesOf(body).flatMap(({ index, message }) =>
      listAt(message, 'content')
        .map((part) => (isPlainObject(part) ? (stringAt(part, 'type') ?? '') : ''))
        .filter((type) => !quirks.contentParts.includes(type))
        .map((type) => finding(`messages.${index}.content`, unknownPart(quirks.dialect, index, type))),
    ),
};

function unknownPart(dialect: Dialect, index: number, type: string): string {
  return dialect === 'deepseek'
    ? `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`${type}\`, expected \`text\``
    : `Invalid 'messages[${index}]'. Content blocks are expected to be either text or image_url type.`;
}

export const contentIsTextOrParts: ChatRule = {
  id: 'OAC-SHAPE-6',
  title: 'The content of a message is a text or a list of parts.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages',
  kind: 'rejection',
  check: (body, { quirks }) =>
    messagesOf(body).flatMap(({ index, message }) => {
      const content = message['content'];
      if (content == null || typeof content === 'string' || Array.isArray(content)) return [];
      const text = wrongContent(quirks.dialect, index, content);
      const { status, errorCode } =
        quirks.dialect === 'mistral' ? WRONG_TYPE : { status: 400, errorCode: 'invalid_type' };
      return [finding(`messages.${index}.content`, text, { status, errorCode })];
    }),
};

/** How Mistral's schema reports a value of the wrong type. */
const WRONG_TYPE = { status: 422, errorCode: 'string_type' } as const;

function wrongContent(dialect: Dialect, index: number, content: unknown): string {
  switch (dialect) {
    case 'deepseek':
      return `Failed to deserialize the JSON body into the target type: messages[${index}]: invalid type: ${
        typeof content === 'object' ? 'map' : typeof content
      }, expected a string or a sequence`;
    case 'mistral':
      return 'Input should be a valid string';
    default: {
      const name = typeof content === 'object' ? 'an object' : `a ${typeof content}`;
      return `Invalid type for 'messages[${index}].content': expected one of a string or array of objects, but got ${name} instead.`;
    }
  }
}

export const argumentsAreText: ChatRule = {
  id: 'OAC-SHAPE-3',
  title: 'The arguments of a tool call are a JSON text, not an object.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/object',
  kind: 'rejection',
  check: (body) =>
    assistants(body).flatMap(({ index, message }) =>
      callsOf(message).flatMap((call, position) => {
        const fn = objectAt(call, 'function');
        if (fn === null || typeof fn['arguments'] === 'string') return [];
        const path = `messages[${index}].tool_calls[${position}].function.arguments`;
        return [
          finding(
            `messages.${index}.tool_calls.${position}.function.arguments`,
            `Invalid type for '${path}': expected a string, but got an object instead.`,
            { errorCode: 'invalid_type' },
          ),
        ];
      }),
    ),
  repair: (body) =>
    mapMessages(body, ({ message }) => {
      if (callsOf(message).length === 0) return message;
      const calls = callsOf(message).map((call) => {
        const fn = objectAt(call, 'function');
        if (fn === null || typeof fn['arguments'] === 'string') return call;
        return { ...call, function: { ...fn, arguments: JSON.stringify(fn['arguments'] ?? {}) } };
      });
      return { ...message, tool_calls: calls };
    }),
};

export const toolNamesAreWords: ChatRule = {
  id: 'OAC-SHAPE-4',
  title: 'A tool is named with at most sixty-four letters, digits, underscores and hyphens.',
  reference: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools',
  kind: 'rejection',
  check: (body) =>
    listAt(body, 'tools').flatMap((tool, index) => {
      const fn = isPlainObject(tool) ? objectAt(tool, 'function') : null;
      const name = fn === null ? null : stringAt(fn, 'name');
      if (name === null || /^[\w-]{1,64}$/.test(name)) return [];
      const text = `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
      return [finding(`tools.${index}.function.name`, text, { errorCode: 'invalid_value' })];
    }),
};

export const charactersAreWhole: ChatRule = {
  id: 'OAC-SHAPE-5',
  title: 'No text holds half of a surrogate pair.',
  reference: 'https://github.com/JohnnyZ93/oai-compatible-copilot/issues/206',
  kind: 'rejection',
  check: (body) =>
    listAt(body, 'messages').flatMap((message, index) =>
      hasHalfCharacter(JSON.stringify(message ?? null))
        ? [
            finding(
              `messages.${index}`,
              'Failed to parse the request body as JSON: lone leading surrogate in hex escape',
            ),
          ]
        : [],
    ),
  repair: (body) => parseObject(withoutHalfCharacters(JSON.stringify(body))) ?? body,
};

export const SHAPE_RULES: readonly ChatRule[] = [
  messagesAreObjects,
  contentIsTextOrParts,
  contentPartsAreKnown,
  argumentsAreText,
  toolNamesAreWords,
  charactersAreWhole,
];
