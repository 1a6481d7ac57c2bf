import type { Usage } from '@bough/core';
import { failureOf } from '../failure.ts';
import { argumentsOf, stringOf } from '../json.ts';
import type { OpenBlock, Step } from '../sequence.ts';
import { Sequence } from '../sequence.ts';
import { dataEvent } from '../sse.ts';
import type { CreateWriter, Ending, WriteOptions } from '../writer.ts';
import { endOf } from '../writer.ts';
import { chatErrors } from './errors.ts';

export const writeChat: CreateWriter = (options) => {
  const sequence = new Sequence();
  const head = { id: `chatcmpl-${options.id}`, created: options.created, model: options.model };
  const said = { text: '', thinking: '', refusal: '' };
  const calls: object[] = [];
  let body: unknown = null;
  let begun = false;
  const chunk = (delta: object, finish: string | null = null): string =>
    dataEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
  const write = (step: Step): string => {
    switch (step.type) {
      case 'open':
        return step.block.kind === 'call' ? chunk({ tool_calls: [opening(step.block, calls.length, options)] }) : '';
      case 'grow': {
        const { block, text } = step;
        if (block.kind !== 'call') {
          said[block.kind] += text;
          return chunk({ [FIELDS[block.kind]]: text });
        }
        if (options.toolOf(block.name).kind === 'custom') return '';
        return chunk({ tool_calls: [{ index: calls.length, function: { arguments: text } }] });
      }
      case 'close': {
        if (step.block.kind !== 'call') return '';
        const call = callOf(step.block, step.text, options);
        calls.push(call.whole);
        return call.rest === null ? '' : chunk({ tool_calls: [{ index: calls.length - 1, custom: call.rest }] });
      }
      case 'end': {
        const { ending } = step;
        if (ending.error !== null) return chatErrors.event(failureOf(ending.error));
        const usage = usageOf(ending.usage, options);
        const finish = finishReason(ending);
        body = { ...head, object: 'chat.completion', choices: [choiceOf(said, calls, finish)], usage };
        const told =
          options.includeUsage === true
            ? dataEvent({ ...head, object: 'chat.completion.chunk', choices: [], usage })
            : '';
        return `${chunk({}, finish)}${told}data: [DONE]\n\n`;
      }
    }
  };
  return {
    push: (event) => {
      const steps = sequence.push(event);
      if (steps.length === 0) return '';
      const start = begun ? '' : chunk({ role: 'assistant', content: '' });
      begun = true;
      return start + steps.map(write).join('');
    },
    body: () => body,
  };
};

/** `reasoning_content` is nobody's standard, and what clients that show reasoning read; others ignore it. */
const FIELDS = { text: 'content', thinking: 'reasoning_content', refusal: 'refusal' } as const;

type Call = Extract<OpenBlock, { kind: 'call' }>;

function opening(block: Call, index: number, { toolOf }: WriteOptions): object {
  const { name, kind } = toolOf(block.name);
  const called = kind === 'custom' ? { custom: { name, input: '' } } : { function: { name, arguments: '' } };
  return { index, id: block.id, type: kind, ...called };
}

/** The whole call, and what of it was not streamed. */
function callOf(block: Call, json: string, { toolOf }: WriteOptions): { whole: object; rest: object | null } {
  const { name, kind } = toolOf(block.name);
  if (kind === 'function')
    return { whole: { id: block.id, type: kind, function: { name, arguments: json } }, rest: null };
  const input = stringOf(argumentsOf(json)?.['input']) ?? '';
  return { whole: { id: block.id, type: kind, custom: { name, input } }, rest: { input } };
}

function choiceOf(
  said: { readonly text: string; readonly thinking: string; readonly refusal: string },
  calls: readonly object[],
  finish: string,
): object {
  const message = {
    role: 'assistant',
    content: said.text === '' ? null : said.text,
    refusal: said.refusal === '' ? null : said.refusal,
    ...(said.thinking !== '' && { reasoning_content: said.thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { index: 0, message, logprobs: null, finish_reason: finish };
}

function finishReason(ending: Ending): string {
  switch (endOf(ending)) {
    case 'calls':
      return 'tool_calls';
    case 'length':
      return 'length';
    case 'refusal':
      return 'content_filter';
    case 'stop_sequence':
    case 'done':
      return 'stop';
  }
}

function usageOf(usage: Usage, { inputTokens }: WriteOptions): object {
  const prompt = usage.inputTokens ?? inputTokens;
  const completion = usage.outputTokens ?? 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}
