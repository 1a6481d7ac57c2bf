import { describe, expect, it } from 'vitest';
import { createRedactor, redactHeaders } from './redact.ts';

const redact = createRedactor(['s3cret/key "quoted"', 'abcd']);

describe('createRedactor', () => {
  it.each([
    ['the key itself', 'bad key s3cret/key "quoted"!', 'bad key [redacted]!'],
    ['the key inside JSON', String.raw`{"k":"s3cret/key \"quoted\""}`, '{"k":"[redacted]"}'],
    ['the key inside a URL', '?q=s3cret%2Fkey%20%22quoted%22', '?q=[redacted]'],
    ['a bearer token', 'Authorization: Bearer eyJhbGciOi.J9.x', 'Authorization: Bearer [redacted]'],
    ['a key in a query', 'GET /v1?alt=sse&key=AB12cd34 HTTP', 'GET /v1?alt=sse&key=[redacted] HTTP'],
    ['a key header in JSON', '{"x-api-key": "0123456789"}', '{"x-api-key": "[redacted]"}'],
    ['a key of a known look', 'Incorrect API key: sk-proj-9aB3****wxyz.', 'Incorrect API key: [redacted].'],
    ['a Google key', 'API key AIzaSyD-1234567890 expired', 'API key [redacted] expired'],
    ['a password in a URL', 'http://me:hunter22@10.0.0.1/v1', 'http://[redacted]@10.0.0.1/v1'],
  ])('TRN-9: hides %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('TRN-9: leaves ordinary words alone', () => {
    const text = 'max_tokens: 4096 is too large; key points: risk-averse, basic idea, sk-ip this, token count = 12';
    expect(redact(text)).toBe(text);
  });

  it('TRN-9: hides a key that contains another key as a whole', () => {
    expect(createRedactor(['abcd', 'abcd-and-more'])('x abcd-and-more y')).toBe('x [redacted] y');
  });
});

describe('redactHeaders', () => {
  it('TRN-9: hides the values of secret headers, whatever their case', () => {
    expect(redactHeaders({ Authorization: 'Bearer x', 'X-API-Key': 'y', accept: '*/*' })).toEqual({
      Authorization: '[redacted]',
      'X-API-Key': '[redacted]',
      accept: '*/*',
    });
  });
});
