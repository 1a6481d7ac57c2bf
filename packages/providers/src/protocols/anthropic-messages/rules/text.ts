import { isPlainObject, memoized } from '@bough/core';
import type { Finding } from '../../../rulebook/rule.ts';
import type { Body, WireBlock } from '../wire.ts';
import { allBlocksOf, blocksOf, isResult, messagesOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';
import { withoutBlocks, withoutEmptyMessages } from './repair.ts';

/** Every text block of the request, wherever it is: messages, results, system. */
const textsOf = memoized((body: Body): readonly WireBlock[] => {
  const texts = blocksOf(body['system'], 'system').filter(isText);
  for (const block of allBlocksOf(body)) {
    if (isText(block)) texts.push(block);
    if (!isResult(block)) continue;
    for (const inner of blocksOf(block.value['content'], `${block.path}.content`)) if (isText(inner)) texts.push(inner);
  }
  return texts;
});

const isText = ({ type, value }: WireBlock): boolean => type === 'text' && typeof value['text'] === 'string';
const placeOf = ({ path }: WireBlock): string => (path.startsWith('system') ? 'system' : 'messages');
const isEmpty = (block: WireBlock) => block.value['text'] === '';
const BLANK = /^\s*$/;
const isBlank = (block: WireBlock) => BLANK.test(String(block.value['text']));

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
      .filter(isEmpty)
      .map((block) => finding(block.path, `${placeOf(block)}: text content blocks must be non-empty`)),
  repair: dropBlankTexts,
};

const nonBlankText: ClaudeRule = {
  id: 'ANT-TEXT-2',
  title: 'No text block consists of whitespace alone.',
  reference: 'https://github.com/anthropics/claude-code/issues/23369',
  kind: 'rejection',
  check: (body) =>
    textsOf(body)
      .filter((block) => !isEmpty(block) && isBlank(block))
      .map((block) => finding(block.path, `${placeOf(block)}: text content blocks must contain non-whitespace text`)),
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

const errorResults = (body: Body): readonly WireBlock[] =>
  allBlocksOf(body).filter((block) => isResult(block) && block.value['is_error'] === true);

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
