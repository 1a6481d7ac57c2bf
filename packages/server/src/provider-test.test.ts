import type { ProviderCheckView } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unusedPort } from './testing/busy-port.ts';
import type { TestServer } from './testing/start.ts';
import { startTestServer } from './testing/start.ts';
import type { Vendor } from './testing/vendor.ts';
import { startVendor } from './testing/vendor.ts';

const GOOD = 'sk-good-key-0123456789abcdef';
const BAD = 'sk-wrong-key-9876543210fedcba';

/** Where the simulator plays each vendor. */
const AT: Readonly<Record<string, string>> = {
  anthropic: '/anthropic',
  openai_responses: '/openai/v1',
  openai: '/openai/v1',
  gemini: '/gemini',
  deepseek: '/deepseek/v1',
  openrouter: '/openrouter/api/v1',
  mistral: '/mistral/v1',
};
const VENDORS = Object.keys(AT);

let simulator: Simulator;
let listless: Vendor;
let server: TestServer;
let gone: number;
beforeAll(async () => {
  simulator = await startSimulator({ keys: [GOOD] });
  listless = await startVendor();
  gone = await unusedPort();
  const at = (url: string) => ({ baseUrl: url, models: ['m'] });
  server = await startTestServer(
    { MOONSHOT_API_KEY: GOOD },
    {
      providers: {
        ...Object.fromEntries(Object.entries(AT).map(([id, path]) => [id, { baseUrl: `${simulator.url}${path}` }])),
        moonshot: { baseUrl: `${simulator.url}/moonshot/v1` },
        gone: at(`http://127.0.0.1:${gone}/v1`),
        talkative: at(`${listless.url}/v1`),
      },
    },
  );
});
afterAll(async () => {
  await server.dispose();
  await simulator.close();
  await listless.close();
});

const test = (id: string): Promise<ProviderCheckView> => server.client.testProvider(id);

describe('testing a provider', () => {
  it.each(VENDORS)('SV-50: %s with its key works, and says how many models it lists', async (id) => {
    await server.client.setProviderKey(id, GOOD);
    expect(await test(id)).toMatchObject({ outcome: 'works', message: null });
    expect((await test(id)).models).toBeGreaterThan(1);
  });

  it.each(VENDORS)('SV-50: %s with a wrong key says that it was refused, in the provider’s words', async (id) => {
    await server.client.setProviderKey(id, BAD);
    const answer = await test(id);
    expect(answer).toMatchObject({ outcome: 'key_refused', models: null, message: expect.stringMatching(/key/i) });
    expect(JSON.stringify(answer)).not.toContain(BAD.slice(4, 16));
  });

  it('SV-50: a key of the environment is tested like any other', async () => {
    expect(await test('moonshot')).toMatchObject({ outcome: 'works' });
    const { providers } = await server.client.listProviders();
    expect(providers.find(({ id }) => id === 'moonshot')).toMatchObject({
      keySource: 'environment',
      keyVariable: 'MOONSHOT_API_KEY',
    });
  });

  it('SV-50: where nothing listens, where nothing is served, and without a key', async () => {
    expect(await test('gone')).toMatchObject({
      outcome: 'unreachable',
      message: expect.stringContaining('nothing listens there'),
    });
    listless.answerTo(() => ({ status: 404, type: 'text/html', body: '<h1>Not found</h1>' }));
    expect(await test('talkative')).toMatchObject({ outcome: 'not_found' });
    expect(await test('xai')).toMatchObject({ outcome: 'no_key', message: expect.stringContaining('XAI_API_KEY') });
    expect(await test('simulated')).toMatchObject({ outcome: 'works' });
    await expect(test('nobody')).rejects.toMatchObject({ status: 404, code: 'unknown_provider' });
  });

  it.each([
    ['429', 'rate_limited'],
    ['503', 'failing'],
    ['403', 'no_permission'],
  ])('SV-50: an answer with %s is told as %s', async (fault, outcome) => {
    await server.client.setProviderKey('deepseek', GOOD);
    simulator.orderFault(`${fault} x1`);
    expect(await test('deepseek')).toMatchObject({ outcome, message: expect.stringMatching(/\w/) });
  });

  it('SV-50: a server without a list of models is asked for a short reply instead', async () => {
    listless.answerTo((path) => (path.endsWith('/models') ? { status: 404, type: 'text/plain', body: 'no' } : null));
    expect(await test('talkative')).toMatchObject({ outcome: 'works', models: null });
    const [body] = listless.bodies().slice(-1);
    expect(JSON.parse(body ?? '')).toMatchObject({ model: 'm', messages: [{ role: 'user' }] });
  });

  it('SV-50: a page that is no list is not taken for a provider, and nothing of it is repeated', async () => {
    listless.answerTo(() => ({ status: 200, type: 'application/json', body: '{"secret":"of the intranet"}' }));
    const answer = await test('talkative');
    expect(answer.outcome).toBe('not_found');
    expect(JSON.stringify(answer)).not.toContain('intranet');
  });

  it('SV-50: neither key is in the log', () => {
    const log = server.logged().join('');
    expect(log).toContain('/test');
    expect(log).not.toContain(GOOD);
    expect(log).not.toContain(BAD);
  });
});
