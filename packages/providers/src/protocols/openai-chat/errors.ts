import type { ProviderErrorCode, StreamError } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { codeOfStatus, providerError } from '../../errors/index.ts';
import type { Json } from './response/json.ts';
import { objectAt, parseObject, stringAt } from './response/json.ts';

const CONTEXT =
  /context[_ ](?:length|window)|maximum context|too (?:large|long|many tokens)|exceeds? the (?:model|max)|reduce the length|prompt is too long|string_above_max_length.*messages/i;
const HISTORY =
  /tool_call|tool call|tool_use|function call|reasoning_content|reasoning_details|reasoning input|thinking|thought[_ ]signature|signature|after role|last role|alternate|prefill|assistant message|messages?[.[]\d|extra inputs|is unsupported|encrypted|duplicate item/i;
const REFUSED = /content[_ ](?:policy|filter)|safety|moderation/i;

/** A model that does not see. Ollama says that with 500, OpenRouter with 404, and asking again helps with neither. */
const BLIND = /image input|support images?|mmproj/i;

/** Classifies an HTTP error of any server of this protocol. The body may hold anything. */
export function readError(status: number, body: string): StreamError {
  const error = errorObject(body);
  return classify(status, error ? sentence(error) : '', error ? (stringAt(error, 'code') ?? '') : '');
}

/** An error that came as a chunk of the stream; its `code` is often the status that could no longer be sent. */
export function streamErrorOf(error: Json): StreamError {
  const code = error['code'];
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : statusOfType(stringAt(error, 'type'));
  return classify(status, sentence(error), typeof code === 'string' ? code : '');
}

/** For a reply whose finish reason is an error, with no message about it. */
export function finishError(finish: string | null): StreamError | null {
  if (finish !== 'error' && finish !== 'insufficient_system_resource') return null;
  const code = finish === 'error' ? 'server' : 'overloaded';
  return providerError(code, `The provider ended the reply with "${finish}". Send again to get a whole one.`);
}

function classify(status: number, text: string, errorCode: string): StreamError {
  // Groq checks what the model wrote: the request was right, and the next attempt may succeed.
  if (errorCode === 'tool_use_failed') return providerError('malformed', text, { status });
  const code = codeOf(status, text, errorCode);
  // An empty account answers 429 like a busy one, but waiting does not refill it.
  const broke = /insufficient_quota|billing|balance/i.test(`${errorCode} ${text}`);
  const message = text.trim() || `The provider answered with status ${status}.`;
  return providerError(code, message, { status, ...(broke && { retryable: false }) });
}

function codeOf(status: number, text: string, errorCode: string): ProviderErrorCode {
  if (status === 400 || status === 422 || status === 0) {
    if (CONTEXT.test(`${errorCode} ${text}`)) return 'context_too_long';
    if (REFUSED.test(`${errorCode} ${text}`)) return 'refusal';
    if (HISTORY.test(text) && !/tool_choice/.test(text)) return 'history_rejected';
    return status === 0 ? 'server' : 'invalid_request';
  }
  if ((status === 404 || status === 500) && BLIND.test(text)) return 'invalid_request';
  if (status === 429 && /request too large|tokens per/i.test(text)) return 'context_too_long';
  return codeOfStatus(status);
}

function statusOfType(type: string | null): number {
  if (type === null) return 0;
  if (/rate_limit/.test(type)) return 429;
  if (/overload|unavailable/.test(type)) return 503;
  if (/auth/.test(type)) return 401;
  return /invalid_request/.test(type) ? 400 : 0;
}

/**
 * The envelopes differ: `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail:[…]}`, and Google wraps its own in an
 * array.
 */
function errorObject(body: string): Json | null {
  const json = parseObject(body.trim().replace(/^\[([\s\S]*)\]$/, '$1'));
  if (json === null) return null;
  const error = json['error'];
  if (isPlainObject(error)) return error;
  return typeof error === 'string' ? { ...json, message: error } : json;
}

function sentence(error: Json): string {
  const metadata = objectAt(error, 'metadata');
  const upstream = metadata && stringAt(metadata, 'raw');
  if (upstream) {
    // A gateway's own sentence says only that something upstream failed.
    const inner = errorObject(upstream);
    const told = (inner && sentence(inner)) || upstream;
    // A page (from a proxy, or anything that listens there) is not a sentence.
    if (!told.trimStart().startsWith('<')) return told;
  }
  const message = error['message'] ?? error['detail'];
  if (typeof message === 'string') return message;
  return message === undefined || message === null ? '' : JSON.stringify(message);
}
