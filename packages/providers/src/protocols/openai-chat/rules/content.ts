import type { Dialect, Quirks } from '../traits.ts';
import type { Json } from '../response/json.ts';
import type { ChatRule } from './context.ts';
import { assistants, callsOf, finding, mapMessages, messagesOf, without } from './context.ts';

const isAbsent = (content: unknown): boolean => content === null || content === undefined;

function saysNothing(message: Json, dialect: Dialect): boolean {
  if (callsOf(message).length > 0) return false;
  const content = message['content'];
  // OpenAI takes an empty text, Mistral does not; a refusal counts as content.
  return (isAbsent(content) && isAbsent(message['refusal'])) || (dialect === 'mistral' && content === '');
}

export const messagesSaySomething: ChatRule = {
  id: 'OAC-CONTENT-1',
  title: 'A message has content; only an assistant message that calls tools may go without.',
  reference: 'https://github.com/run-llama/llama_index/pull/17921',
  kind: 'rejection',
  check: (body, { quirks }) =>
    messagesOf(body)
      .filter(({ message, role }) =>
        role === 'assistant' ? saysNothing(message, quirks.dialect) : isAbsent(message['content']),
      )
      .map(({ index, role }) =>
        finding(
          `messages.${index}.content`,
          quirks.dialect === 'mistral' && role === 'assistant'
            ? 'Assistant message must have either content or tool_calls, but not none.'
            : "Invalid value for 'content': expected a string, got null.",
        ),
      ),
  repair: (body, { quirks }) =>
    mapMessages(body, ({ message, role }) =>
      role === 'assistant' && saysNothing(message, quirks.dialect) ? null : message,
    ),
};

export const noEmptyTextBesideCalls: ChatRule = {
  id: 'OAC-CONTENT-2',
  title: 'Beside tool calls the content is null, never an empty text.',
  reference: 'https://github.com/vercel/ai/pull/13538',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.emptyContent === 'accepted'
      ? []
      : assistants(body)
          .filter(({ message }) => message['content'] === '' && callsOf(message).length > 0)
          .map(({ index }) => finding(`messages.${index}.content`, 'messages: text content blocks must be non-empty')),
  repair: (body) =>
    mapMessages(body, ({ message }) =>
      message['content'] === '' && callsOf(message).length > 0 ? { ...message, content: null } : message,
    ),
};

const MESSAGE_KEYS = ['role', 'content', 'name', 'refusal', 'audio', 'tool_calls', 'tool_call_id', 'prefix'];
const CALL_KEYS = ['id', 'type', 'function', 'custom', 'index'];

function allowedKeys(quirks: Quirks): readonly string[] {
  const inContent =
    quirks.reasoning === 'none' || quirks.reasoning === 'think_tags' || quirks.reasoning === 'thinking_chunks';
  return inContent ? MESSAGE_KEYS : [...MESSAGE_KEYS, quirks.reasoning];
}

const unknownKeys = (json: Json, allowed: readonly string[]): readonly string[] =>
  Object.keys(json).filter((key) => !allowed.includes(key) && !isAbsent(json[key]));

export const noUnknownMessageKeys: ChatRule = {
  id: 'OAC-KEY-1',
  title: 'A strict server gets no message key that it does not know, least of all another server’s reasoning field.',
  reference: 'https://github.com/NousResearch/hermes-agent/issues/11089',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.unknownKeys === 'ignored'
      ? []
      : messagesOf(body).flatMap(({ index, message, role }) =>
          unknownKeys(message, allowedKeys(quirks)).map((key) => unsupportedKey(quirks.dialect, index, role, key)),
        ),
  repair: (body, { quirks }) =>
    mapMessages(body, ({ message }) => without(message, ...unknownKeys(message, allowedKeys(quirks)))),
};

function unsupportedKey(dialect: Dialect, index: number, role: string, key: string): ReturnType<typeof finding> {
  const path = `messages.${index}.${role}.${key}`;
  switch (dialect) {
    case 'groq':
      return finding(
        path,
        `'messages.${index}' : for 'role:${role}' the following must be satisfied[('messages.${index}' : property '${key}' is unsupported)]`,
      );
    case 'cerebras':
      return finding(path, `${path}: property '${path}' is unsupported`, { errorCode: 'wrong_api_format' });
    case 'mistral':
      return finding(path, 'Extra inputs are not permitted', { status: 422, errorCode: 'extra_forbidden' });
    default:
      return finding(path, `Additional properties are not allowed ('${key}' was unexpected) - 'messages.${index}'`);
  }
}

export const noUnknownCallKeys: ChatRule = {
  id: 'OAC-KEY-2',
  title: 'A strict server gets no key on a tool call that it does not know, such as Google’s signature.',
  reference: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.unknownKeys === 'ignored' || quirks.callSignatures !== 'none'
      ? []
      : assistants(body).flatMap(({ index, message }) =>
          callsOf(message).flatMap((call, position) =>
            unknownKeys(call, CALL_KEYS).map((key) =>
              quirks.dialect === 'mistral'
                ? finding(
                    `messages.${index}.assistant.tool_calls.${position}.${key}`,
                    'Extra inputs are not permitted',
                    {
                      status: 422,
                      errorCode: 'extra_forbidden',
                    },
                  )
                : finding(
                    `messages.${index}.tool_calls.${position}.${key}`,
                    `Additional properties are not allowed ('${key}' was unexpected)`,
                  ),
            ),
          ),
        ),
  repair: (body) =>
    mapMessages(body, ({ message }) =>
      callsOf(message).length === 0
        ? message
        : { ...message, tool_calls: callsOf(message).map((call) => without(call, ...unknownKeys(call, CALL_KEYS))) },
    ),
};

export const CONTENT_RULES: readonly ChatRule[] = [
  noUnknownMessageKeys,
  noUnknownCallKeys,
  messagesSaySomething,
  noEmptyTextBesideCalls,
];
