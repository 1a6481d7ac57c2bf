import { afterEach, describe, expect, it } from 'vitest';
import { createProvider } from '../../create-provider.ts';
import type { Deployment } from '../../deployment.ts';
import { anthropic } from '../../deployments/anthropic.ts';
import { gemini } from '../../deployments/gemini.ts';
import { mistral } from '../../deployments/mistral.ts';
import { openrouter } from '../../deployments/openrouter.ts';
import type { Handler } from '../../transport/testing.ts';
import { closeServers, serve } from '../../transport/testing.ts';
import { nearMatches } from './find.ts';
import type { ListOptions } from './index.ts';
import { createModelLists } from './index.ts';
import { readPage } from './read.ts';

afterEach(closeServers);

const KEY = 'sk-list-secret-123456';
const MODELS = { data: [{ id: 'new/thinker', context_length: 77_000 }, { id: 'new/other' }] };

interface Asked {
  readonly url: string;
  readonly key: string | undefined;
}

/** OpenRouter at a server that answers as it is told, and what it was asked. */
async function vendor(handler: Handler, options: ListOptions = {}, base: Deployment = openrouter) {
  const asked: Asked[] = [];
  const url = await serve((response, request, attempt) => {
    const key = request.headers.authorization ?? request.headers['x-api-key'] ?? request.headers['x-goog-api-key'];
    asked.push({ url: request.url ?? '', key: Array.isArray(key) ? key[0] : key });
    handler(response, request, attempt);
  });
  const lists = createModelLists(options);
  const deployment = { ...base, baseUrl: `${url}/api/v1` };
  return { asked, lists, provider: createProvider(deployment, { key: KEY, lists }), deployment };
}

const json =
  (value: unknown, status = 200): Handler =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

describe('readPage', () => {
  it('MOD-8: OpenRouter says what a model takes', () => {
    const entry = (more: object) => ({
      id: 'a/b',
      name: 'B',
      context_length: 200_000,
      top_provider: { context_length: 131_072, max_completion_tokens: 32_000 },
      architecture: { input_modalities: ['text', 'image'] },
      supported_parameters: ['tools', 'reasoning'],
      ...more,
    });
    const read = (more: object) => readPage('openai-chat', { data: [entry(more)] })?.models[0]?.[1];
    expect(read({})).toEqual({
      label: 'B',
      contextWindow: 131_072,
      maxOutputTokens: 32_000,
      thinking: { when: 'thinks' },
      canSee: true,
      canUseTools: true,
    });
    expect(read({ reasoning: { mandatory: true, supported_efforts: ['low', 'high'] } })?.thinking).toEqual({
      when: 'always',
      how: ['low', 'high'],
    });
    expect(read({ reasoning: { mandatory: false, supported_efforts: null } })?.thinking).toEqual({
      when: 'on_request',
      how: ['none', 'minimal', 'low', 'medium', 'high'],
    });
    expect(read({ supported_parameters: ['temperature'] })).toMatchObject({
      thinking: { when: 'never' },
      canUseTools: false,
    });
  });

  it('MOD-8: Anthropic, Gemini, Mistral, Groq and vLLM say it in their own fields', () => {
    const on = { supported: true };
    const off = { supported: false };
    const claude = {
      id: 'claude-x',
      display_name: 'X',
      max_input_tokens: 500_000,
      max_tokens: 64_000,
      capabilities: {
        image_input: on,
        thinking: { ...on, types: { adaptive: on, enabled: off, disabled: off } },
        effort: { ...on, low: on, high: on, max: off },
      },
    };
    expect(readPage('anthropic-messages', { data: [claude], has_more: true, last_id: 'claude-x' })).toEqual({
      models: [
        [
          'claude-x',
          {
            label: 'X',
            contextWindow: 500_000,
            maxOutputTokens: 64_000,
            thinking: { when: 'always', how: ['adaptive', 'low', 'high'] },
            canSee: true,
          },
        ],
      ],
      next: 'claude-x',
    });
    const google = { name: 'models/gemini-x', inputTokenLimit: 9_000, outputTokenLimit: 800, thinking: false };
    expect(readPage('gemini', { models: [google], nextPageToken: 't' })).toEqual({
      models: [['gemini-x', { contextWindow: 9_000, maxOutputTokens: 800, thinking: { when: 'never' } }]],
      next: 't',
    });
    const small = {
      id: 'm-2509',
      aliases: ['m-latest'],
      max_context_length: 40_000,
      capabilities: { reasoning: true },
    };
    const facts = { contextWindow: 40_000, thinking: { when: 'thinks' } };
    expect(readPage('openai-chat', { data: [small] })?.models).toEqual([
      ['m-2509', facts],
      ['m-latest', facts],
    ]);
    const others = [
      { id: 'g', context_window: 8_192, max_completion_tokens: 4_096 },
      { id: 'v', max_model_len: 32_768 },
    ];
    expect(readPage('openai-chat', { data: others })?.models).toEqual([
      ['g', { contextWindow: 8_192, maxOutputTokens: 4_096 }],
      ['v', { contextWindow: 32_768 }],
    ]);
  });

  it.each([[null], [[]], [{}], [{ data: {} }], [{ data: 'x' }], ['x']])('MOD-8: %j is no list', (body) => {
    expect(readPage('openai-chat', body)).toBeNull();
  });

  it('MOD-8: entries of any shape teach nothing and break nothing', () => {
    const odd = [
      null,
      7,
      {},
      { id: 7 },
      { id: 'x'.repeat(1_000) },
      { id: 'a', context_length: 'x', capabilities: 7, supported_parameters: {} },
    ];
    expect(readPage('openai-chat', { data: odd })?.models).toEqual([['a', {}]]);
    expect(readPage('anthropic-messages', { data: [{ id: 'a', capabilities: { thinking: [] } }] })?.models).toEqual([
      ['a', {}],
    ]);
  });
});

describe('asking for a list', () => {
  it('MOD-9: a model that Bough lists is never asked about', async () => {
    const { asked, provider } = await vendor(json(MODELS));
    expect(await provider.findModel(openrouter.defaultModel, 'branching')).toMatchObject({ existence: 'known' });
    expect(asked).toEqual([]);
  });

  it('MOD-9: the list is asked once, with the key in its header, and `modelInfo` knows it from then on', async () => {
    const { asked, provider } = await vendor(json(MODELS));
    expect(provider.modelInfo('new/thinker').contextWindow).toBe(128_000);
    const found = await Promise.all([
      provider.findModel('new/thinker', 'branching'),
      provider.findModel('new/other', 'calling'),
    ]);
    expect(found.map(({ existence }) => existence)).toEqual(['listed', 'listed']);
    expect(provider.modelInfo('new/thinker').contextWindow).toBe(77_000);
    expect(asked).toEqual([{ url: '/api/v1/models', key: `Bearer ${KEY}` }]);
  });

  it('MOD-9: all pages are read', async () => {
    const pages = await vendor(
      (response, { url = '' }, attempt) => {
        const after = new URL(url, 'http://x').searchParams.get('after_id');
        const id = `claude-page-${Number(after?.slice(-1) ?? 0) + 1}`;
        json({ data: [{ id }], has_more: id !== 'claude-page-3', last_id: id })(response, {} as never, attempt);
      },
      {},
      anthropic,
    );
    expect(await pages.provider.findModel('claude-page-3', 'branching')).toMatchObject({ existence: 'listed' });
    expect(pages.asked.map(({ url }) => url)).toEqual([
      '/api/v1/models?limit=1000',
      '/api/v1/models?limit=1000&after_id=claude-page-1',
      '/api/v1/models?limit=1000&after_id=claude-page-2',
    ]);
    const google = await vendor(
      (response, { url = '' }, attempt) => {
        const more = url.includes('pageToken') ? {} : { nextPageToken: 't' };
        json({ models: [{ name: `models/gem-${url.includes('pageToken')}` }], ...more })(
          response,
          {} as never,
          attempt,
        );
      },
      {},
      gemini,
    );
    expect(await google.provider.findModel('gem-true', 'branching')).toMatchObject({ existence: 'listed' });
    expect(google.asked.map(({ key }) => key)).toEqual([KEY, KEY]);
  });

  it('MOD-9: a list that has expired is read again behind the back of whoever needs it', async () => {
    let time = 0;
    const { asked, provider } = await vendor(json(MODELS), { now: () => time, expiryMs: 1_000 });
    await provider.findModel('new/thinker', 'calling');
    time = 2_000;
    expect(await provider.findModel('new/thinker', 'calling')).toMatchObject({ existence: 'listed' });
    await expect.poll(() => asked.length).toBe(2);
  });

  it.each([
    ['refuses', json({ error: `no, ${KEY}` }, 401), 'answered with 401.'],
    ['says something else', json([]), 'answered with something else than a list.'],
    [
      'redirects',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/steal' }).end(),
      'answered with 302.',
    ],
    ['breaks off', (response) => void response.destroy(), ''],
    ['is silent', () => undefined, 'did not answer in time.'],
  ] as const satisfies readonly (readonly [string, Handler, string])[])(
    'MOD-9: a vendor that %s is no error: the model is allowed, and why it is not known is told without the key',
    async (_, handler, reason) => {
      const { asked, provider } = await vendor(handler, { timeoutMs: 150 });
      const found = await provider.findModel('new/thinker', 'branching');
      expect(found).toMatchObject({ existence: 'unasked', near: [] });
      expect(found.problem).toContain(reason);
      expect(found.problem).not.toContain(KEY);
      // A message that follows is not held up by asking again.
      await provider.findModel('new/thinker', 'calling');
      await provider.findModel('new/thinker', 'branching');
      expect(asked).toHaveLength(1);
    },
  );

  it('MOD-9: a list that was read stays in force if asking again fails', async () => {
    let time = 0;
    const { provider } = await vendor(
      (response, request, attempt) => {
        json(attempt === 1 ? MODELS : {}, attempt === 1 ? 200 : 500)(response, request, attempt);
      },
      { now: () => time },
    );
    await provider.findModel('new/thinker', 'branching');
    time = 40_000;
    expect(await provider.findModel('new/absent', 'branching')).toMatchObject({ existence: 'missing' });
    expect(provider.modelInfo('new/thinker').contextWindow).toBe(77_000);
  });

  it('MOD-9: without a key nobody is asked', async () => {
    const { asked, lists, deployment } = await vendor(json(MODELS));
    const provider = createProvider(deployment, { key: null, lists });
    const found = await provider.findModel('new/thinker', 'branching');
    expect(found).toMatchObject({ existence: 'unasked', problem: expect.stringContaining('needs a key') });
    expect(asked).toEqual([]);
  });
});

describe('whether a model exists', () => {
  it('MOD-10: one that is not in the whole list is missing, with the names that were perhaps meant', async () => {
    const { provider } = await vendor(json({ data: [{ id: 'qwen/qwen-next' }, { id: 'z-ai/glm-6' }] }));
    expect(await provider.findModel('qwen-next', 'branching')).toMatchObject({
      existence: 'missing',
      near: ['qwen/qwen-next'],
    });
    const { near } = await provider.findModel('zai/glm-6', 'branching');
    expect(near[0]).toBe('z-ai/glm-6');
  });

  it('MOD-10: a list that has just changed is read again before a model is called missing', async () => {
    let time = 0;
    const { provider } = await vendor(
      (response, request, attempt) => {
        json(attempt === 1 ? MODELS : { data: [{ id: 'new/today' }] })(response, request, attempt);
      },
      { now: () => time },
    );
    await provider.findModel('new/thinker', 'branching');
    time = 40_000;
    expect(await provider.findModel('new/today', 'branching')).toMatchObject({ existence: 'listed' });
  });

  it.each([
    ['new/thinker:free', 'new/thinker'],
    ['thing', 'thing:latest'],
    ['models/thing', 'thing'],
    ['thing-latest', 'thing-2509'],
    ['claude-thing', 'claude-thing-20270101'],
  ])('MOD-10: %s is served as %s', async (asked, id) => {
    const { provider } = await vendor(json({ data: [{ id, context_length: 55_000 }] }), {}, mistral);
    const found = await provider.findModel(asked, 'branching');
    expect(found).toMatchObject({ existence: 'listed', description: { info: { contextWindow: 55_000 } } });
  });

  it('MOD-10: another snapshot of a model is not the one that was asked for', async () => {
    const { provider } = await vendor(json({ data: [{ id: 'thing-2509' }] }), {}, mistral);
    expect(await provider.findModel('thing-2510', 'branching')).toMatchObject({ existence: 'missing' });
  });

  it.each([
    ['an empty list', [], 'new/absent'],
    ['a list with patterns', [{ id: 'openai/*' }], 'new/absent'],
    ['a list about a preset', [{ id: 'a/b' }], '@preset/mine'],
  ])('MOD-10: %s proves nothing', async (_, data, model) => {
    const { provider } = await vendor(json({ data }));
    expect(await provider.findModel(model, 'branching')).toMatchObject({ existence: 'unasked', problem: null });
  });

  it('MOD-10: a model that the configuration names exists', async () => {
    const { deployment, lists } = await vendor(json(MODELS));
    const provider = createProvider({ ...deployment, stated: new Map([['own/model', {}]]) }, { key: KEY, lists });
    expect(await provider.findModel('own/model', 'branching')).toMatchObject({ existence: 'known' });
  });

  it('MOD-10: near names are the likeliest three', () => {
    const names = ['gpt-6-sol', 'gpt-6-luna', 'gpt-5.5', 'claude-opus-5', 'gpt-6-astra', 'gpt-6-sol'];
    expect(nearMatches(names, 'gpt6-sol')).toEqual(['gpt-6-sol']);
    expect(nearMatches(names, 'gpt-6')).toHaveLength(3);
    expect(nearMatches(names, 'zzzz')).toEqual([]);
  });
});
