import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Simulator } from '../server.ts';
import { startSimulator } from '../server.ts';

const KEY = 'sk-the-right-key-0123';
let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ keys: [KEY] });
});
afterAll(() => simulator.close());

type Headers = Readonly<Record<string, string>>;
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const VENDORS: readonly [string, string, (key: string) => Headers, number, RegExp][] = [
  [
    'Anthropic',
    '/anthropic/v1/models',
    (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    401,
    /invalid x-api-key/,
  ],
  ['Google', '/gemini/v1beta/models', (key) => ({ 'x-goog-api-key': key }), 400, /API key not valid/],
  ['OpenAI', '/openai/v1/models', bearer, 401, /Incorrect API key provided: sk-wrong\*+/],
  ['OpenRouter', '/openrouter/api/v1/key', bearer, 401, /Incorrect API key/],
];

it.each(VENDORS)('SIM-17: %s refuses a wrong key in its own words, and takes the right one', async (...vendor) => {
  const [, path, headers, status, words] = vendor;
  const right = await fetch(`${simulator.url}${path}`, { headers: headers(KEY) });
  expect(right.status).toBe(200);
  const wrong = await fetch(`${simulator.url}${path}`, { headers: headers('sk-wrong-key-0123456789') });
  expect(wrong.status).toBe(status);
  expect(await wrong.text()).toMatch(words);
});

it('SIM-17: OpenRouter lists its models for everybody', async () => {
  expect((await fetch(`${simulator.url}/openrouter/api/v1/models`)).status).toBe(200);
});
