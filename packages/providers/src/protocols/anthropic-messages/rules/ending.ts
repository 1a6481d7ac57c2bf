import { isPlainObject } from '@bough/core';
import type { Body, WireMessage } from '../wire.ts';
import { isServerCall, isServerResult, messagesOf, textOf, thinkingMode } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

const PREFILL = 'This model does not support assistant message prefill. The conversation must end with a user message.';

/** The last message, if it is the assistant's and not a turn of the provider's own tools that waits to be continued. */
function prefillOf(body: Body): WireMessage | null {
  const last = messagesOf(body).findLast(({ isEffortOnly }) => !isEffortOnly);
  const block = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || (block !== undefined && (isServerCall(block) || isServerResult(block))))
    return null;
  return last;
}

const endsWithUser: ClaudeRule = {
  id: 'ANT-END-1',
  title: 'The conversation ends with a message of the user.',
  reference: DOCS.errors,
  kind: 'rejection',
  check: (body, { traits }) => {
    // A request for a summary is not continued: it may end with what the assistant said.
    const prefill = isPlainObject(body['compaction']) ? null : prefillOf(body);
    const allowed = traits.prefill && thinkingMode(body, traits) === 'off';
    return prefill === null || allowed ? [] : [finding(`messages.${prefill.index}`, PREFILL)];
  },
};

const prefillEndsInInk: ClaudeRule = {
  id: 'ANT-END-2',
  title: 'A last message of the assistant does not end in whitespace.',
  reference: DOCS.thinking,
  kind: 'rejection',
  check: (body) => {
    const prefill = prefillOf(body);
    const last = prefill?.blocks.at(-1);
    if (prefill === null || last?.type !== 'text' || !/\s$/.test(textOf(last, 'text'))) return [];
    return [finding(last.path, 'messages: final assistant content cannot end with trailing whitespace')];
  },
};

export const endingRules: readonly ClaudeRule[] = [endsWithUser, prefillEndsInInk];
