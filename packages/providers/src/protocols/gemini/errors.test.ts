import { describe, expect, it } from 'vitest';
import { gemini } from './index.ts';

const body = (message: string, status = 'INVALID_ARGUMENT', details?: unknown) =>
  JSON.stringify({ error: { code: 400, message, status, ...(details !== undefined && { details }) } });

describe('gemini errors', () => {
  it.each([
    [400, body('API key not valid. Please pass a valid API key.'), 'authentication'],
    [400, body('Bad.', 'INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }]), 'authentication'],
    [401, body('No.', 'UNAUTHENTICATED'), 'authentication'],
    [403, body('No.', 'PERMISSION_DENIED'), 'permission'],
    [400, body('User location is not supported for the API use.', 'FAILED_PRECONDITION'), 'permission'],
    [404, body('models/x is not found.', 'NOT_FOUND'), 'not_found'],
    [429, body('Quota.', 'RESOURCE_EXHAUSTED'), 'rate_limit'],
    [400, body('The input token count (9) exceeds the maximum number of tokens allowed (8).'), 'context_too_long'],
    [400, body('Function call is missing a thought_signature in functionCall parts.'), 'history_rejected'],
    [400, body('Unable to submit request because Thought signature is not valid..'), 'history_rejected'],
    [400, body('Corrupted thought signature.'), 'history_rejected'],
    [400, body('Please use a valid role: user, model.'), 'history_rejected'],
    [400, body('Requests ending with a model turn are not supported.'), 'history_rejected'],
    [400, body('Please ensure that function call turn comes immediately after a user turn.'), 'history_rejected'],
    [400, body('Thinking level is not supported for this model.'), 'invalid_request'],
    [500, body('Internal.', 'INTERNAL'), 'server'],
    [503, body('The model is overloaded.', 'UNAVAILABLE'), 'overloaded'],
    [504, body('Deadline.', 'DEADLINE_EXCEEDED'), 'timeout'],
    [502, '<html>Bad gateway</html>', 'server'],
    [418, '', 'invalid_request'],
    [400, `[${body('Corrupted thought signature.')}]`, 'history_rejected'],
  ])('GEM-19: %i %s is classified', (status, text, code) => {
    const error = gemini.readError(status, text);
    expect(error).toMatchObject({ code, status });
    expect(error.message).toMatch(/^Gemini/);
  });

  it('GEM-19: only what may pass is worth another try', () => {
    const retryable = [429, 500, 503, 504].map((status) => gemini.readError(status, '').retryable);
    expect(retryable).toEqual([true, true, true, true]);
    expect(gemini.readError(400, '').retryable).toBe(false);
  });

  it('GEM-19: the text of the user, which Google repeats, is not part of the message', () => {
    const echo = `Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "my diary"`;
    const { message } = gemini.readError(400, body(echo));
    expect(message).not.toContain('diary');
    expect(message).toContain('function_response.response');
  });
});
