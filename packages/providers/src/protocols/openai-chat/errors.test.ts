import { describe, expect, it } from 'vitest';
import { openaiChat } from './index.ts';

const error = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });

describe('readError', () => {
  it.each([
    [401, error('Invalid key'), 'authentication', false],
    [402, error('Insufficient Balance'), 'permission', false],
    [403, error('No access'), 'permission', false],
    [404, error('The model does not exist'), 'not_found', false],
    [429, error('Slow down'), 'rate_limit', true],
    [429, error('You exceeded your current quota', { code: 'insufficient_quota' }), 'rate_limit', false],
    [404, error('No endpoints found that support image input'), 'invalid_request', false],
    [500, error('this model is missing data required for image input'), 'invalid_request', false],
    [500, error('image input is not supported - hint: you may need to provide the mmproj'), 'invalid_request', false],
    [500, error('Oops'), 'server', true],
    [503, error('Busy'), 'overloaded', true],
    [504, '<html>', 'timeout', true],
    [400, error("This model's maximum context length is 8192 tokens."), 'context_too_long', false],
    [400, error('Too long', { code: 'context_length_exceeded' }), 'context_too_long', false],
    [
      400,
      error('The `reasoning_content` in the thinking mode must be passed back to the API.'),
      'history_rejected',
      false,
    ],
    [400, error("An assistant message with 'tool_calls' must be followed by tool messages"), 'history_rejected', false],
    [
      400,
      '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'","code":"3230"}',
      'history_rejected',
      false,
    ],
    [
      422,
      '{"detail":[{"type":"extra_forbidden","loc":["body"],"msg":"Extra inputs are not permitted"}]}',
      'history_rejected',
      false,
    ],
    [400, error('Thinking mode does not support this tool_choice'), 'invalid_request', false],
    [400, error("Unsupported parameter: 'temperature'"), 'invalid_request', false],
    [
      400,
      '{"code":"Client specified an invalid argument","error":"Model grok does not support it."}',
      'invalid_request',
      false,
    ],
    [
      400,
      '[{"error":{"code":400,"message":"Function call is missing a thought_signature"}}]',
      'history_rejected',
      false,
    ],
    [400, error('tool call validation failed', { code: 'tool_use_failed' }), 'malformed', true],
    [400, '', 'invalid_request', false],
    [418, 'null', 'invalid_request', false],
  ])('OAC-20: %i %s is %s', (status, body, code, retryable) => {
    expect(openaiChat.readError(status, body)).toMatchObject({ code, retryable, status });
  });

  it('OAC-20: a gateway’s error is told in the words of the server behind it', () => {
    const raw = JSON.stringify({ error: { message: 'messages: text content blocks must be non-empty' } });
    const body = JSON.stringify({
      error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'X' } },
    });
    expect(openaiChat.readError(400, body).message).toBe('messages: text content blocks must be non-empty');
  });

  it('OAC-20: neither a key nor a prompt gets into the sentence', () => {
    const { message } = openaiChat.readError(
      401,
      error(`Incorrect API key provided: sk-proj-1234567890abcdef. ${'x'.repeat(5_000)}`),
    );
    expect(message).not.toContain('1234567890');
    expect(message.length).toBeLessThan(700);
  });
});
