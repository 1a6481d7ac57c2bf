import { isPlainObject } from '@bough/core';
import type { Fields } from '../fields.ts';
import { objectIn, textOrNull } from '../fields.ts';

/**
 * Parts as the AI SDK writes them today. Earlier versions, and programs that store parts of model messages, have calls
 * and results apart, calls in an envelope, and reasoning with its signatures in a list of details.
 */
export function modernParts(parts: readonly unknown[]): readonly unknown[] {
  const results = new Map<unknown, Fields>();
  for (const part of parts) {
    if (isPlainObject(part) && part['type'] === 'tool-result' && 'toolCallId' in part)
      results.set(part['toolCallId'], part);
  }
  const called = new Set<unknown>();
  return parts.flatMap((part): readonly unknown[] => {
    if (!isPlainObject(part)) return [part];
    switch (part['type']) {
      case 'tool-call':
        if (!('toolCallId' in part)) return [part];
        called.add(part['toolCallId']);
        return [toolPart(part, results.get(part['toolCallId']))];
      case 'tool-result':
        if (!('toolCallId' in part)) return [part];
        // One whose call is not there stands for both.
        return called.has(part['toolCallId']) ? [] : [toolPart(part, part)];
      case 'tool-invocation': {
        const call = objectIn(part, 'toolInvocation');
        return [toolPart(call, call['state'] === 'result' ? call : undefined)];
      }
      case 'reasoning-delta':
        return [{ ...part, type: 'reasoning', text: part['text'] ?? part['delta'] }];
      case 'reasoning':
        return part['text'] === undefined ? reasoningParts(part) : [part];
      default:
        return [part];
    }
  });
}

function toolPart(call: Fields, result: Fields | undefined): Fields {
  const input = call['input'] ?? call['args'];
  const shared = { type: 'dynamic-tool', toolCallId: call['toolCallId'], toolName: call['toolName'] ?? 'tool', input };
  if (result === undefined) return { ...shared, state: 'input-available' };
  const held = result['output'] ?? result['result'];
  const isWrapped = isPlainObject(held) && typeof held['type'] === 'string' && 'value' in held;
  const output = isWrapped ? held['value'] : held;
  const isError = result['isError'] === true || (isWrapped && String(held['type']).startsWith('error'));
  if (!isError) return { ...shared, state: 'output-available', output };
  return { ...shared, state: 'output-error', errorText: typeof output === 'string' ? output : JSON.stringify(output) };
}

function reasoningParts(part: Fields): readonly Fields[] {
  const details = Array.isArray(part['details']) ? part['details'].filter(isPlainObject) : [];
  if (details.length === 0) return [{ ...part, text: textOrNull(part['reasoning']) ?? '' }];
  return details.map((detail) => ({
    type: 'reasoning',
    text: textOrNull(detail['text']) ?? '',
    providerMetadata: {
      anthropic: {
        ...(typeof detail['signature'] === 'string' ? { signature: detail['signature'] } : {}),
        ...(typeof detail['data'] === 'string' ? { redactedData: detail['data'] } : {}),
      },
    },
  }));
}
