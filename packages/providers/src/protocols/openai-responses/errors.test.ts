import { describe, expect, test } from 'vitest';
import { readError } from './errors.ts';

const body = (message: string, code: string | null = null, type = 'invalid_request_error'): string =>
  JSON.stringify({ error: { message, type, param: 'input', code } });

describe('readError', () => {
  test.each([
    [
      400,
      body("Item 'rs_1' of type 'reasoning' was provided without its required following item."),
      'history_rejected',
      false,
    ],
    [400, body('No tool output found for function call call_1.'), 'history_rejected', false],
    [
      400,
      body('The encrypted content for item rs_1 could not be verified.', 'invalid_encrypted_content'),
      'history_rejected',
      false,
    ],
    [
      400,
      body("Previous response with id 'resp_1' not found.", 'previous_response_not_found'),
      'history_rejected',
      false,
    ],
    [
      400,
      body('Previous response cannot be used for this organization due to Zero Data Retention.'),
      'history_rejected',
      false,
    ],
    [
      404,
      body("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
      'history_rejected',
      false,
    ],
    [400, body('Container is expired.'), 'container_expired', false],
    [400, body("Unknown parameter: 'input[1].status'."), 'history_rejected', false],
    [400, body("Unsupported parameter: 'temperature' is not supported with this model."), 'invalid_request', false],
    [
      400,
      body('Your input exceeds the context window of this model.', 'context_length_exceeded'),
      'context_too_long',
      false,
    ],
    [400, body("The requested model 'x' does not exist.", 'model_not_found'), 'not_found', false],
    [401, body('Incorrect API key provided: sk-abc***xyz.', 'invalid_api_key'), 'authentication', false],
    [403, body('No access.'), 'permission', false],
    [429, body('Rate limit reached.', 'rate_limit_exceeded', 'tokens'), 'rate_limit', true],
    [429, body('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'), 'rate_limit', false],
    [500, body('Oops.', null, 'server_error'), 'server', true],
    [503, '<html>Bad gateway</html>', 'overloaded', true],
    [502, '', 'server', true],
    [400, '{"detail":"Unsupported parameter: max_output_tokens"}', 'invalid_request', false],
  ] as const)('OAR-F8: %i %s is %s', (status, text, code, retryable) => {
    expect(readError(status, text)).toMatchObject({ code, retryable, status });
  });

  test('OAR-F8: a key that the provider quotes does not stay in the message, nor does a whole input', () => {
    expect(readError(401, body('Incorrect API key provided: sk-proj-abc***xyz.')).message).not.toContain('abc');
    expect(readError(400, body('x'.repeat(5000))).message.length).toBeLessThan(1100);
  });
});
