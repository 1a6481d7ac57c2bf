import { isPlainObject } from '@bough/core';
import { demandsReasoning } from '../request/target.ts';
import { googleSignature } from '../response/calls.ts';
import type { Json } from '../response/json.ts';
import { listAt, objectAt, objectsAt, stringAt } from '../response/json.ts';
import { isThinking } from '../request/thinking.ts';
import type { ChatContext, ChatRule, Placed } from './context.ts';
import { assistants, callsOf, finding, mapMessages } from './context.ts';

function lacksReasoning(body: Json, { quirks, model }: ChatContext, message: Json): boolean {
  const hasTools = listAt(body, 'tools').length > 0;
  const target = { quirks, hasTools, thinking: isThinking(body, quirks, model) };
  if (!demandsReasoning(target, callsOf(message).length > 0)) return false;
  if (quirks.reasoning === 'reasoning_details') return objectsAt(message, 'reasoning_details').length === 0;
  const value = message[quirks.reasoning];
  return typeof value !== 'string' || (value === '' && quirks.blankReasoning !== '');
}

export const reasoningComesBack: ChatRule = {
  id: 'OAC-REASON-1',
  title: 'Where the server demands it, an assistant message carries the reasoning that it was made with.',
  reference: 'https://api-docs.deepseek.com/guides/thinking_mode',
  kind: 'rejection',
  check: (body, context) =>
    assistants(body)
      .filter(({ message }) => lacksReasoning(body, context, message))
      .map((placed) => finding(`messages.${placed.index}`, missingReasoning(context, placed))),
  repair: (body, context) => {
    const { reasoning, blankReasoning } = context.quirks;
    return mapMessages(body, ({ message, role }) =>
      role === 'assistant' && blankReasoning !== null && lacksReasoning(body, context, message)
        ? { ...message, [reasoning]: blankReasoning }
        : message,
    );
  },
};

function missingReasoning({ quirks }: ChatContext, { index }: Placed): string {
  switch (quirks.dialect) {
    case 'moonshot':
      return quirks.demands === 'tool_calls'
        ? `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`
        : `preserved thinking (thinking.keep=all) requires reasoning_content on every assistant message, but assistant message at index ${index} is missing reasoning_content`;
    case 'openrouter':
      return 'Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks.';
    default:
      return `The \`${quirks.reasoning}\` in the thinking mode must be passed back to the API.`;
  }
}

const thinkingParts = (message: Json): readonly Json[] =>
  objectsAt(message, 'content').filter((part) => stringAt(part, 'type') === 'thinking');

function withoutThinkingParts(message: Json): Json {
  const text = objectsAt(message, 'content')
    .map((part) => stringAt(part, 'text') ?? '')
    .join('');
  return { ...message, content: text === '' && callsOf(message).length > 0 ? null : text };
}

export const modelTakesReasoning: ChatRule = {
  id: 'OAC-REASON-2',
  title: 'A model without reasoning gets no thinking parts.',
  reference: 'https://docs.mistral.ai/capabilities/reasoning/',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.takesReasoning
      ? []
      : assistants(body)
          .filter(({ message }) => thinkingParts(message).length > 0)
          .map(({ index }) => finding(`messages.${index}.content`, 'Reasoning input is not enabled for this model')),
  repair: (body) =>
    mapMessages(body, ({ message }) => (thinkingParts(message).length > 0 ? withoutThinkingParts(message) : message)),
};

export const oneThinkingPart: ChatRule = {
  id: 'OAC-REASON-3',
  title: 'A Mistral message holds its thinking in one part.',
  reference: 'https://github.com/earendil-works/pi',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.dialect === 'mistral'
      ? assistants(body)
          .filter(({ message }) => thinkingParts(message).length > 1)
          .map(({ index }) =>
            finding(`messages.${index}.content`, 'Assistant message must contain at most one thinking chunk.'),
          )
      : [],
  repair: (body) =>
    mapMessages(body, ({ message }) => (thinkingParts(message).length > 1 ? withoutThinkingParts(message) : message)),
};

export const callsAreSigned: ChatRule = {
  id: 'OAC-REASON-4',
  title: 'For Google’s models the first tool call of a message carries the signature that it came with.',
  reference: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
  kind: 'rejection',
  check: (body, { quirks }) =>
    quirks.callSignatures === 'demanded'
      ? assistants(body).flatMap(({ index, message }) => {
          const [first] = callsOf(message);
          if (first === undefined || googleSignature(objectAt(first, 'extra_content')) !== null) return [];
          const text =
            'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.';
          return [finding(`messages.${index}.tool_calls.0`, text)];
        })
      : [],
};

const detailsOf = (message: Json): readonly unknown[] => listAt(message, 'reasoning_details');

export const detailsAreWhole: ChatRule = {
  id: 'OAC-DETAIL-1',
  title: 'Reasoning details go back as they came: objects with a type, signatures and data never emptied.',
  reference: 'https://openrouter.ai/docs/guides/best-practices/reasoning-tokens',
  kind: 'rejection',
  check: (body) =>
    assistants(body).flatMap(({ index, message }) =>
      detailsOf(message).flatMap((entry, position) =>
        isDamaged(entry)
          ? [
              finding(
                `messages.${index}.reasoning_details.${position}`,
                'Invalid reasoning_details: the entry was modified.',
              ),
            ]
          : [],
      ),
    ),
  repair: (body) =>
    mapMessages(body, ({ message }) => (detailsOf(message).some(isDamaged) ? dropDetails(message) : message)),
};

function isDamaged(entry: unknown): boolean {
  if (!isPlainObject(entry) || (stringAt(entry, 'type') ?? '') === '') return true;
  return (
    entry['signature'] === '' || (entry['type'] === 'reasoning.encrypted' && (stringAt(entry, 'data') ?? '') === '')
  );
}

function dropDetails(message: Json): Json {
  const { reasoning_details: _dropped, ...rest } = message;
  return rest;
}

export const detailsAreUnique: ChatRule = {
  id: 'OAC-DETAIL-2',
  title: 'No id stands twice among the reasoning details of a request.',
  reference: 'https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254',
  kind: 'rejection',
  check: (body) =>
    repeatedDetails(body).map(({ index, position, id }) =>
      finding(
        `messages.${index}.reasoning_details.${position}`,
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      ),
    ),
  repair: (body) => {
    const repeated = new Set(repeatedDetails(body).map(({ index, position }) => `${index}.${position}`));
    return mapMessages(body, ({ index, message }) => {
      if (detailsOf(message).length === 0) return message;
      return {
        ...message,
        reasoning_details: detailsOf(message).filter((_, position) => !repeated.has(`${index}.${position}`)),
      };
    });
  },
};

function repeatedDetails(
  body: Json,
): readonly { readonly index: number; readonly position: number; readonly id: string }[] {
  const seen = new Set<string>();
  return assistants(body).flatMap(({ index, message }) =>
    detailsOf(message).flatMap((entry, position) => {
      const id = isPlainObject(entry) ? `${stringAt(entry, 'type')} ${stringAt(entry, 'id') ?? ''}` : ' ';
      if (id.endsWith(' ') || !seen.has(id)) {
        seen.add(id);
        return [];
      }
      return [{ index, position, id: id.slice(id.indexOf(' ') + 1) }];
    }),
  );
}

/** Which models read which format of encrypted or signed details. */
const FORMATS: Readonly<Record<string, string>> = {
  'anthropic-claude-v1': 'anthropic/',
  'openai-responses-v1': 'openai/',
  'google-gemini-v1': 'google/',
  'xai-responses-v1': 'x-ai/',
};

export const detailsAreTheModelsOwn: ChatRule = {
  id: 'OAC-DETAIL-3',
  title: 'Encrypted and signed reasoning details go only to a model of the vendor that made them.',
  reference: 'https://github.com/open-webui/open-webui/issues/28240',
  kind: 'rejection',
  check: (body, { quirks, model }) =>
    quirks.dialect === 'openrouter'
      ? assistants(body)
          .filter(({ message }) => detailsOf(message).some((entry) => isForeign(entry, model.id)))
          .map(({ index }) => finding(`messages.${index}.reasoning_details`, 'Provider returned error'))
      : [],
  repair: (body, { model }) =>
    mapMessages(body, ({ message }) =>
      detailsOf(message).some((entry) => isForeign(entry, model.id)) ? dropDetails(message) : message,
    ),
};

function isForeign(entry: unknown, model: string): boolean {
  if (!isPlainObject(entry)) return false;
  const sealed = stringAt(entry, 'signature') !== null || entry['type'] === 'reasoning.encrypted';
  const vendor = FORMATS[stringAt(entry, 'format') ?? ''];
  return sealed && vendor !== undefined && !model.startsWith(vendor);
}

export const REASONING_RULES: readonly ChatRule[] = [
  modelTakesReasoning,
  oneThinkingPart,
  detailsAreWhole,
  detailsAreUnique,
  detailsAreTheModelsOwn,
  reasoningComesBack,
  callsAreSigned,
];
