import type { Usage } from '@bough/core';
import { failureOf } from '../failure.ts';
import { objectOf, parseJson } from '../json.ts';
import type { Step } from '../sequence.ts';
import { Sequence } from '../sequence.ts';
import type { CreateWriter, Ending, WriteOptions } from '../writer.ts';
import { endOf } from '../writer.ts';
import { geminiErrors } from './errors.ts';

type Part = Readonly<Record<string, unknown>>;

export const writeGemini: CreateWriter = (options) => {
  const sequence = new Sequence();
  const parts: Part[] = [];
  const head = { modelVersion: options.model, responseId: options.id };
  let body: unknown = null;
  let chunks = 0;
  /** Reasoning whose token the client has not got yet: it comes with the first call, otherwise at the end. */
  let unsigned = false;
  const frame = (json: string): string => {
    chunks += 1;
    if (options.asArray !== true) return `data: ${json}\r\n\r\n`;
    return `${chunks === 1 ? '[' : ',\r\n'}${json}`;
  };
  const chunk = (part: Part): string =>
    frame(JSON.stringify({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }], ...head }));
  const signature = (): Part => {
    const signs = unsigned && options.token !== null;
    unsigned = false;
    return signs ? { thoughtSignature: options.token } : {};
  };
  const write = (step: Step): string => {
    switch (step.type) {
      case 'open':
        if (step.block.kind === 'thinking') unsigned = true;
        return '';
      case 'grow':
        return step.block.kind === 'call' ? '' : chunk(textPart(step.block.kind, step.text));
      case 'close': {
        const { block, text, whole } = step;
        if (block.kind !== 'call') {
          if (text !== '') parts.push(textPart(block.kind, text));
          return '';
        }
        // Half a call cannot be written here: a call has its arguments as an object.
        if (!whole) return '';
        const functionCall = { id: block.id, name: block.name, args: objectOf(parseJson(text)) ?? {} };
        const part = { functionCall, ...signature() };
        parts.push(part);
        return chunk(part);
      }
      case 'end': {
        const { ending } = step;
        if (ending.error !== null) {
          const failure = failureOf(ending.error);
          return options.asArray === true ? `${frame(geminiErrors.body(failure))}]` : geminiErrors.event(failure);
        }
        const signed = signature();
        const last = 'thoughtSignature' in signed ? [{ text: '', ...signed }] : [];
        parts.push(...last);
        const usageMetadata = usageOf(ending.usage, options);
        const reply = (content: readonly Part[]): object => ({
          candidates: [{ content: { parts: content, role: 'model' }, finishReason: finishReason(ending), index: 0 }],
          usageMetadata,
          ...head,
        });
        body = reply(parts);
        const shown = last.length > 0 ? last : [{ text: '' }];
        return `${frame(JSON.stringify(reply(shown)))}${options.asArray === true ? ']' : ''}`;
      }
    }
  };
  return {
    push: (event) => sequence.push(event).map(write).join(''),
    body: () => body,
  };
};

const textPart = (kind: 'text' | 'thinking' | 'refusal', text: string): Part =>
  kind === 'thinking' ? { text, thought: true } : { text };

function finishReason(ending: Ending): string {
  switch (endOf(ending)) {
    case 'length':
      return 'MAX_TOKENS';
    case 'refusal':
      return 'SAFETY';
    case 'calls':
    case 'stop_sequence':
    case 'done':
      return 'STOP';
  }
}

/** Here the output does not count the thoughts. */
function usageOf(usage: Usage, { inputTokens }: WriteOptions): object {
  const prompt = usage.inputTokens ?? inputTokens;
  const output = usage.outputTokens ?? 0;
  const thoughts = Math.min(usage.reasoningTokens ?? 0, output);
  return {
    promptTokenCount: prompt,
    ...(usage.cachedInputTokens !== undefined && { cachedContentTokenCount: usage.cachedInputTokens }),
    candidatesTokenCount: output - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + output,
  };
}
