import { isPlainObject } from '@bough/core';
import type { Finding } from '../../../rulebook/rule.ts';
import type { Body, WireBlock } from '../wire.ts';
import { blocksOf, isResult, messagesOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';
import { withoutBlocks, withoutEmptyMessages } from './repair.ts';

/** Every text block of the request, wherever it is: messages, results, system. */
function textsOf(body: Body): readonly { readonly block: WireBlock; readonly place: string }[] {
  const inMessages = messagesOf(body).flatMap((message) =>
    message.blocks.flatMap((block) =>
      isResult(block) ? [block, ...blocksOf(block.value['content'], `${block.path}.content`)] : [block],
    ),
  );
  return [
    ...blocksOf(body['system'], 'system').map((block) => ({ block, place: 'system' })),
    ...inMessages.map((block) => ({ block, place: 'messages' })),
  ].filter(({ block }) => block.type === 'text' && typeof block.value['text'] === 'string');
}

const isEmpty = (block: WireBlock) => block.value['text'] === '';
const isBlank = (block: WireBlock) => String(block.value['text']).trim() === '';

function dropBlankTexts(body: Body): Body {
  return withoutEmptyMessages(withoutBlocks(body, (block) => block.type === 'text' && isBlank(block)));
}

const nonEmptyText: ClaudeRule = {
  id: 'ANT-TEXT-1',
  title: 'No text block is empty.',
  reference: 'https://github.com/anthropics/claude-code/issues/59812',
  kind: 'rejection',
  check: (body) =>
    textsOf(body)
      .filter(({ block }) => isEmpty(block))
      .map(({ block, place }) => finding(block.path, `${place}: text content blocks must be non-empty`)),
  repair: dropBlankTexts,
};

const nonBlankText: ClaudeRule = {
  id: 'ANT-TEXT-2',
  title: 'No text block consists of whitespace alone.',
  reference: 'https://github.com/anthropics/claude-code/issues/23369',
  kind: 'rejection',
  check: (body) =>
    textsOf(body)
      .filter(({ block }) => !isEmpty(block) && isBlank(block))
      .map(({ block, place }) => finding(block.path, `${place}: text content blocks must contain non-whitespace text`)),
  repair: dropBlankTexts,
};

const nonEmptyContent: ClaudeRule = {
  id: 'ANT-TEXT-3',
  title: 'Every message has content; only a last assistant message may be without.',
  reference: 'https://github.com/anthropics/claude-code/issues/6774',
  kind: 'rejection',
  check: (body) => {
    const messages = messagesOf(body);
    return messages
      .filter(({ isEffortOnly }) => !isEffortOnly)
      .filter(({ blocks, role }, at, all) => blocks.length === 0 && !(role === 'assistant' && at === all.length - 1))
      .map(({ index }) =>
        finding(
          `messages.${index}`,
          `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
        ),
      );
  },
  repair: withoutEmptyMessages,
};

function errorResults(body: Body): readonly WireBlock[] {
  return messagesOf(body)
    .flatMap((message) => message.blocks)
    .filter((block) => isResult(block) && block.value['is_error'] === true);
}

const errorResultHasContent: ClaudeRule = {
  id: 'ANT-TEXT-4',
  title: 'A tool result that reports an error says something.',
  reference: DOCS.toolCalls,
  kind: 'rejection',
  check: (body) =>
    errorResults(body)
      .filter((block) => blocksOf(block.value['content'], '').length === 0)
      .map((block) =>
        finding(block.path, `${block.path}.tool_result: content cannot be empty if \`is_error\` is true`),
      ),
};

const errorResultIsText: ClaudeRule = {
  id: 'ANT-TEXT-5',
  title: 'A tool result that reports an error holds text only.',
  reference: 'npm @earendil-works/pi-ai 1.5.0, dist/api/transform-messages.js',
  kind: 'rejection',
  check: (body) =>
    errorResults(body).flatMap((block): Finding[] => {
      const content: unknown = block.value['content'];
      const parts: readonly unknown[] = Array.isArray(content) ? content : [];
      return parts.some((part) => isPlainObject(part) && part['type'] === 'image')
        ? [finding(block.path, `${block.path}.tool_result: all content must be type "text" if \`is_error\` is true`)]
        : [];
    }),
};

export const textRules: readonly ClaudeRule[] = [
  nonEmptyText,
  nonBlankText,
  nonEmptyContent,
  errorResultHasContent,
  errorResultIsText,
];
