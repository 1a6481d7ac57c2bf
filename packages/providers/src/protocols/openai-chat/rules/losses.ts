import { isPlainObject } from '@bough/core';
import type { Quirks } from '../traits.ts';
import type { Json } from '../response/json.ts';
import { objectsAt, stringAt } from '../response/json.ts';
import { splitThinkTags } from '../response/think-tags.ts';
import { isThinking } from '../request/thinking.ts';
import type { ChatRule } from './context.ts';
import { assistants, callsOf, finding, mapMessages } from './context.ts';

// The server answers these with 200, but something is lost. Each detector names what.

const REASONING_KEYS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;
const carried = (message: Json): readonly string[] =>
  REASONING_KEYS.filter((key) => message[key] !== undefined && message[key] !== null);

export const reasoningHasAReader: ChatRule = {
  id: 'OAC-LOSS-1',
  title: 'Reasoning stands in the field that the server reads; in another one it is dropped without a word.',
  reference: 'https://github.com/vllm-project/vllm/issues/38488',
  kind: 'silent',
  check: (body, { quirks }) =>
    assistants(body).flatMap(({ index, message }) =>
      carried(message)
        .filter((key) => key !== quirks.reasoning && !(key === 'reasoning' && quirks.reasoning === 'reasoning_details'))
        .map((key) => finding(`messages.${index}.${key}`, `This server does not read ${key}.`, { status: 200 })),
    ),
};

export const reasoningStandsOnce: ChatRule = {
  id: 'OAC-LOSS-2',
  title: 'A message carries its reasoning once: a server that reads two fields reads it twice.',
  reference: 'https://github.com/earendil-works/pi',
  kind: 'silent',
  check: (body) =>
    assistants(body)
      .filter(({ message }) => {
        const texts = ['reasoning_content', 'reasoning'].map((key) => stringAt(message, key) ?? '');
        return texts.every((text) => text !== '');
      })
      .map(({ index }) => finding(`messages.${index}`, 'The reasoning stands in two fields.', { status: 200 })),
};

export const reasoningIsNoText: ChatRule = {
  id: 'OAC-LOSS-3',
  title: 'Reasoning does not go back as text in think tags, except to a server that wants it so.',
  reference: 'https://github.com/NousResearch/hermes-agent/issues/20577',
  kind: 'silent',
  check: (body, { quirks }) =>
    quirks.reasoning === 'think_tags'
      ? []
      : assistants(body)
          .filter(({ message }) => splitThinkTags(stringAt(message, 'content') ?? '').thinking !== null)
          .map(({ index }) => finding(`messages.${index}.content`, 'Reasoning stands in the text.', { status: 200 })),
  repair: (body) =>
    mapMessages(body, ({ message, role }) => {
      const content = stringAt(message, 'content') ?? '';
      if (role !== 'assistant' || splitThinkTags(content).thinking === null) return message;
      const { text } = splitThinkTags(content);
      if (text.trim() !== '') return { ...message, content: text };
      return callsOf(message).length > 0 ? { ...message, content: null } : null;
    }),
};

export const textIsAString: ChatRule = {
  id: 'OAC-LOSS-4',
  title: 'Assistant text is a string: some models copy the structure of a list of parts into their answer.',
  reference: 'https://github.com/earendil-works/pi',
  kind: 'silent',
  check: (body) =>
    assistants(body)
      .filter(({ message }) => isTextList(message['content']))
      .map(({ index }) => finding(`messages.${index}.content`, 'Assistant text is a list of parts.', { status: 200 })),
  repair: (body) =>
    mapMessages(body, ({ message, role }) =>
      role === 'assistant' && isTextList(message['content'])
        ? {
            ...message,
            content: objectsAt(message, 'content')
              .map((part) => stringAt(part, 'text') ?? '')
              .join(''),
          }
        : message,
    ),
};

function isTextList(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((part) => isPlainObject(part) && part['type'] === 'text')
  );
}

export const samplingHasAnEffect: ChatRule = {
  id: 'OAC-LOSS-5',
  title: 'Sampling parameters are not sent where thinking makes the server ignore them.',
  reference: 'https://api-docs.deepseek.com/guides/thinking_mode',
  kind: 'silent',
  check: (body, { quirks, model }) =>
    quirks.sampling === 'ignored' && isThinking(body, quirks, model)
      ? ['temperature', 'presence_penalty', 'frequency_penalty']
          .filter((key) => body[key] !== undefined)
          .map((key) => finding(key, `${key} has no effect while the model thinks.`, { status: 200 }))
      : [],
};

export const reasoningIsRemembered: ChatRule = {
  id: 'OAC-LOSS-6',
  title: 'Where the server forgets old reasoning unless told otherwise, a request that carries some tells it.',
  reference: 'https://docs.z.ai/guides/capabilities/thinking-mode',
  kind: 'silent',
  check: (body, { quirks, model }) => {
    if (quirks.keepsReasoning === 'always' || keepsReasoning(body, quirks) || !isThinking(body, quirks, model))
      return [];
    return assistants(body)
      .filter(({ message }) => (stringAt(message, 'reasoning_content') ?? '').trim() !== '')
      .slice(0, 1)
      .map(({ index }) =>
        finding(`messages.${index}.reasoning_content`, `Ignored without ${quirks.keepsReasoning}.`, { status: 200 }),
      );
  },
};

function keepsReasoning(body: Json, quirks: Quirks): boolean {
  const thinking = isPlainObject(body['thinking']) ? body['thinking'] : {};
  switch (quirks.keepsReasoning) {
    case 'always':
      return true;
    case 'thinking.keep':
      return thinking['keep'] === 'all';
    case 'thinking.clear_thinking':
      return thinking['clear_thinking'] === false;
    case 'preserve_thinking':
      return body['preserve_thinking'] === true;
  }
}

export const LOSS_RULES: readonly ChatRule[] = [
  reasoningHasAReader,
  reasoningStandsOnce,
  reasoningIsNoText,
  textIsAString,
  samplingHasAnEffect,
  reasoningIsRemembered,
];
