import { describe, expect, it } from 'vitest';
import { readError } from './errors.ts';

const envelope = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });

describe('anthropic-messages: errors', () => {
  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 'authentication', false],
    [403, 'permission_error', 'Not allowed.', 'permission', false],
    [404, 'not_found_error', 'model: claude-none', 'not_found', false],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'context_too_long', false],
    [429, 'rate_limit_error', 'Slow down.', 'rate_limit', true],
    [500, 'api_error', 'Internal server error', 'server', true],
    [529, 'overloaded_error', 'Overloaded', 'overloaded', true],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_too_long', false],
    [
      400,
      'invalid_request_error',
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      'history_rejected',
      false,
    ],
    [400, 'invalid_request_error', 'messages: text content blocks must be non-empty', 'history_rejected', false],
    [400, 'invalid_request_error', 'adaptive thinking is not supported on this model', 'invalid_request', false],
  ])('ANT-E1: %i %s: %s', (status, type, message, code, retryable) => {
    expect(readError(status, envelope(type, message))).toEqual({
      code,
      message,
      retryable,
      status,
      providerRequestId: 'req_1',
    });
  });

  it.each([
    [400, 'invalid_request_error', 'tool_reference_unresolved', 'history_rejected', false],
    [400, 'invalid_request_error', 'compaction_signature_invalid', 'history_rejected', false],
    [400, 'invalid_request_error', 'compaction_nothing_to_summarize', 'invalid_request', false],
    [429, 'rate_limit_error', 'ramp_limit_exceeded', 'rate_limit', true],
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', 'rate_limit', false],
    [529, 'overloaded_error', 'compaction_unavailable', 'overloaded', true],
    [400, 'invalid_request_error', 'a_code_of_next_year', 'invalid_request', false],
  ])('ANT-E4: %i %s with the code %s, whatever its sentence', (status, type, errorCode, code, retryable) => {
    const error = { type, message: 'Words that may change.', details: { error_code: errorCode } };
    expect(readError(status, JSON.stringify({ type: 'error', error }))).toMatchObject({ code, retryable });
  });

  it('ANT-E2: whatever the body holds, there is an error with a sentence', () => {
    for (const body of ['', 'Bad gateway', '7', '[]', '{"error":"x"}', '{"error":{"message":7}}']) {
      const error = readError(502, body);
      expect(error).toMatchObject({ code: 'server', retryable: true, status: 502 });
      expect(error.message).not.toBe('');
    }
    expect(readError(400, '<html>').code).toBe('invalid_request');
  });

  it('ANT-E2: reads an envelope that a route wrapped once more', () => {
    const inner = envelope('invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block');
    const outer = JSON.stringify({ error: { code: 400, message: inner, status: 'INVALID_ARGUMENT' } });
    expect(readError(400, outer).code).toBe('history_rejected');
  });

  it('ANT-E3: a message never carries a whole prompt', () => {
    expect(readError(400, envelope('invalid_request_error', 'x'.repeat(5000))).message.length).toBeLessThan(700);
  });
});
