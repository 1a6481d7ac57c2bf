import type { Usage } from '@bough/core';
import { failureOf } from '../failure.ts';
import { objectOf, parseJson } from '../json.ts';
import type { OpenBlock, Step } from '../sequence.ts';
import { Sequence } from '../sequence.ts';
import { namedEvent } from '../sse.ts';
import type { CreateWriter, Ending, WriteOptions } from '../writer.ts';
import { endOf } from '../writer.ts';
import { anthropicErrors } from './errors.ts';

export const writeAnthropic: CreateWriter = (options) => {
  const sequence = new Sequence();
  const content: unknown[] = [];
  let message = messageOf(options, content);
  let begun = false;
  const write = (step: Step): string => {
    const index = content.length;
    switch (step.type) {
      case 'open':
        return namedEvent({ type: 'content_block_start', index, content_block: emptyBlock(step.block) } as Event);
      case 'grow':
        return namedEvent({ type: 'content_block_delta', index, delta: deltaOf(step.block, step.text) } as Event);
      case 'close': {
        content.push(blockOf(step.block, step.text, options.token));
        const signature = step.block.kind === 'thinking' ? options.token : null;
        const signed = signature === null ? '' : delta(index, { type: 'signature_delta', signature });
        return `${signed}${namedEvent({ type: 'content_block_stop', index } as Event)}`;
      }
      case 'end': {
        const { ending } = step;
        if (ending.error !== null) return anthropicErrors.event(failureOf(ending.error));
        const end = { stop_reason: stopReason(ending), stop_sequence: null };
        const usage = usageOf(ending.usage, options);
        message = { ...message, ...end, usage };
        return `${namedEvent({ type: 'message_delta', delta: end, usage } as Event)}${namedEvent({ type: 'message_stop' })}`;
      }
    }
  };
  return {
    push: (event) => {
      const steps = sequence.push(event);
      if (steps.length === 0) return '';
      const start = begun ? '' : namedEvent({ type: 'message_start', message } as Event);
      begun = true;
      return start + steps.map(write).join('');
    },
    body: () => message,
  };
};

type Event = { readonly type: string };

const delta = (index: number, value: object): string =>
  namedEvent({ type: 'content_block_delta', index, delta: value } as Event);

function messageOf(options: WriteOptions, content: unknown[]): Readonly<Record<string, unknown>> {
  return {
    id: `msg_${options.id}`,
    type: 'message',
    role: 'assistant',
    model: options.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf({}, options),
  };
}

function emptyBlock(block: OpenBlock): object {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' };
  }
}

function deltaOf(block: OpenBlock, text: string): object {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'call':
      return { type: 'input_json_delta', partial_json: text };
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text };
  }
}

function blockOf(block: OpenBlock, text: string, token: string | null): object {
  switch (block.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: text, signature: token ?? '' };
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: objectOf(parseJson(text)) ?? {} };
    case 'text':
    case 'refusal':
      return { type: 'text', text };
  }
}

function stopReason(ending: Ending): string {
  if (ending.reason === 'context_exceeded') return 'model_context_window_exceeded';
  switch (endOf(ending)) {
    case 'calls':
      return 'tool_use';
    case 'length':
      return 'max_tokens';
    case 'refusal':
      return 'refusal';
    case 'stop_sequence':
      return 'stop_sequence';
    case 'done':
      return 'end_turn';
  }
}

/** Here the input does not count what was read from a cache or written to one. */
function usageOf(usage: Usage, { inputTokens }: WriteOptions): Readonly<Record<string, number>> {
  const read = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage.inputTokens ?? inputTokens) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.outputTokens ?? 0,
  };
}
