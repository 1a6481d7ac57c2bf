import type { StopReason, StreamError } from '@bough/core';
import { CUT_SHORT, NOT_JSON, providerError } from '../../../errors/index.ts';

/** How a reply ended, and what went wrong, if anything. */
export interface Ending {
  readonly stop: StopReason;
  readonly error?: StreamError;
}

/** The reply was cut by a filter: what came before is kept, but is not an answer. */
const FILTERED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'LANGUAGE',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
]);

/** The model wrote a call that cannot be used. Asking again usually helps. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
]);

/** The limit of one request is reached; with a token, the next request goes on where this one ended. */
export const CONTINUATION = 'CONTINUATION';

export function endingOf(finishReason: string, hasCalls: boolean, canContinue: boolean): Ending {
  if (finishReason === 'STOP') return { stop: hasCalls ? 'tool_use' : 'end_turn' };
  if (finishReason === CONTINUATION && canContinue) return { stop: 'pause' };
  if (finishReason === 'MAX_TOKENS' || finishReason === CONTINUATION) return { stop: 'max_tokens' };
  if (FILTERED.has(finishReason)) return refusal(`Gemini stopped the reply (${finishReason}).`);
  if (UNUSABLE.has(finishReason)) {
    const message = `Gemini wrote a tool call that cannot be used (${finishReason}). Try again.`;
    return { stop: 'error', error: providerError('malformed', message) };
  }
  return { stop: 'unknown' };
}

export function blockedPrompt(blockReason: string): Ending {
  return refusal(`Gemini did not answer: the prompt was blocked (${blockReason}).`);
}

/** The connection closed before Gemini said that the reply was finished. */
export const BROKEN_OFF: Ending = { stop: 'error', error: CUT_SHORT };

export const UNREADABLE: Ending = { stop: 'error', error: NOT_JSON };

function refusal(message: string): Ending {
  return { stop: 'refusal', error: providerError('refusal', message) };
}
