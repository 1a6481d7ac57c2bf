import { ApiError } from '@bough/api';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';
import { startVendor } from './testing/vendor.ts';

const SECRET = 'sk-model-secret-000';
const PATHS = {
  anthropic: '/anthropic',
  openai: '/openai/v1',
  openai_responses: '/openai/v1',
  gemini: '/gemini',
  openrouter: '/openrouter/api/v1',
  mistral: '/mistral/v1',
  groq: '/groq/openai/v1',
  moonshot: '/moonshot/v1',
  deepseek: '/deepseek/v1',
  xai: '/xai/v1',
  ollama: '/ollama/v1',
};
const KEYS = ['ANTHROPIC', 'OPENAI', 'GEMINI', 'OPENROUTER', 'MISTRAL', 'GROQ', 'MOONSHOT', 'DEEPSEEK', 'XAI'];

let simulator: Simulator;
let server: TestServer;
beforeAll(async () => {
  simulator = await startSimulator();
  const providers = Object.fromEntries(
    Object.entries(PATHS).map(([id, path]) => [id, { baseUrl: `${simulator.url}${path}` }]),
  );
  server = await startTestServer(Object.fromEntries(KEYS.map((name) => [`${name}_API_KEY`, SECRET])), { providers });
});
afterAll(async () => {
  await server.dispose();
  await simulator.close();
});

const refusal = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.catch((problem: unknown) => problem);
  if (!(error instanceof ApiError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error;
};

async function bodySent(project: string, ref = 'main'): Promise<Readonly<Record<string, unknown>>> {
  const { request } = await server.client.context(project, { ref, message: 'And?' });
  return JSON.parse(request.body);
}

const rejections = (): readonly string[] =>
  simulator
    .log()
    .filter(({ kind }) => kind === 'rejected')
    .map(({ detail }) => detail);

describe('models that the catalogue does not know', () => {
  it.each([
    ['anthropic', 'claude-opus-6-20270101'],
    ['anthropic', 'claude-opus-6'],
    ['gemini', 'gemini-4-pro'],
    ['openai', 'o1-mini'],
    ['openai', 'gpt-7-sol'],
    ['openai_responses', 'gpt-7-sol'],
    ['openrouter', 'qwen/qwen-next-thinker'],
    ['openrouter', 'stealth/oracle'],
    ['openrouter', 'meta-llama/llama-5-scout'],
    ['openrouter', 'anthropic/claude-opus-6'],
    ['mistral', 'magistral-small-2509'],
    ['mistral', 'magistral-small-latest'],
    ['groq', 'moonshotai/kimi-k2-instruct'],
    ['moonshot', 'kimi-k4'],
    ['deepseek', 'deepseek-v5'],
    ['xai', 'grok-5'],
    ['ollama', 'gemma4:12b'],
  ])('EN-60: %s serves %s with tools and thinking on and off, and refuses nothing', async (provider, model) => {
    simulator.clearLog();
    const { project } = await server.client.createProject({
      provider,
      model,
      systemPrompt: 'Be brief.',
      thinking: 'high',
      tools: ['calculator'],
    });
    for (const thinking of ['high', 'off', 'low'] as const) {
      const lines = await say(server.client, project.id, 'main', '/sim think 2 /sim tools calculator', { thinking });
      expect(endOf(lines).status, JSON.stringify(lines.filter(({ type }) => type === 'error'))).toBe('complete');
    }
    expect(rejections()).toEqual([]);
    expect(simulator.log().filter(({ kind }) => kind === 'silent_drop')).toEqual([]);
  });

  it('EN-60: OpenRouter’s unlisted models are asked to think, and keep their reasoning after a delete', async () => {
    const { client } = server;
    const { project } = await client.createProject({
      provider: 'openrouter',
      model: 'qwen/qwen-next-thinker',
      thinking: 'high',
    });
    await say(client, project.id, 'main', 'One');
    await say(client, project.id, 'main', 'Two');
    const { groups } = await client.history(project.id, { ref: 'main' });
    await client.deleteNode(project.id, groups[0]?.user?.id ?? '', 'reparent');
    const body = await bodySent(project.id);
    expect(body).toMatchObject({ reasoning: { effort: 'high' }, max_tokens: 32_768 });
    const replies = (body['messages'] as { role: string; reasoning_details?: unknown[] }[]).filter(
      ({ role }) => role === 'assistant',
    );
    expect(replies).toHaveLength(2);
    for (const reply of replies) expect(reply.reasoning_details).not.toHaveLength(0);
  });

  it('EN-60: Magistral’s own thinking goes back, and o1-mini gets no system message', async () => {
    const { client } = server;
    const small = await client.createProject({ provider: 'mistral', model: 'magistral-small-2509' });
    await say(client, small.project.id, 'main', 'Hello');
    expect(JSON.stringify(await bodySent(small.project.id))).toContain('"type":"thinking"');
    const mini = await client.createProject({ provider: 'openai', model: 'o1-mini', systemPrompt: 'Be brief.' });
    const { messages } = await bodySent(mini.project.id);
    expect(messages).toEqual([
      { role: 'user', content: 'Be brief.' },
      { role: 'user', content: 'And?' },
    ]);
  });

  it('EN-60: the vendor’s list gives the limits, also after a restart and without a new branch', async () => {
    const providers = { anthropic: { baseUrl: `${simulator.url}/anthropic` } };
    const first = await startTestServer({ ANTHROPIC_API_KEY: SECRET }, { providers });
    const { project } = await first.client.createProject({ provider: 'anthropic', model: 'claude-opus-6-20270101' });
    const again = await first.restart();
    try {
      const report = await again.client.contextReport(project.id, { ref: 'main', message: 'Hi' });
      expect(report).toMatchObject({ contextWindow: 2_000_000, maxTokens: 256_000 });
    } finally {
      await again.dispose();
    }
  });
});

describe('thinking between tools', () => {
  it('ANT-Q30: Claude 4.5 thinks again after its tools, and all of its thinking goes back', async () => {
    simulator.clearLog();
    const { client } = server;
    const { project } = await client.createProject({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      thinking: 'high',
      tools: ['calculator', 'current_time'],
    });
    await say(client, project.id, 'main', '/sim think 1 /sim tools calculator current_time steps 2');
    const lines = await say(client, project.id, 'main', '/sim think 1 /sim tools calculator');
    expect(endOf(lines).status).toBe('complete');
    const { groups } = await client.history(project.id, { ref: 'main' });
    const thoughts = groups[0]?.reply.map(({ contentBlocks }) => contentBlocks.some(({ type }) => type === 'thinking'));
    // Two steps with a tool each, and the answer: a thought before every one of them.
    expect(thoughts?.filter((thinks) => thinks)).toHaveLength(3);
    expect(simulator.log().filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });
});

describe('what is not known', () => {
  it('EN-61: is told once, where the branch is made, and never for a model that is listed', async () => {
    const { client } = server;
    const made = await client.createProject({ provider: 'openai', model: 'gpt-7-sol' });
    expect(made.notices).toEqual([
      {
        code: 'model_assumed',
        provider: 'openai',
        model: 'gpt-7-sol',
        problem: null,
        assumed: [
          { fact: 'contextWindow', value: 400_000, source: 'family' },
          { fact: 'maxOutputTokens', value: 128_000, source: 'family' },
          { fact: 'thinking', value: 'on_request', source: 'family' },
          { fact: 'bindsThinkingToPrefix', value: false, source: 'family' },
        ],
        message:
          'Bough does not list gpt-7-sol, but OpenAI (Chat Completions) does. Assumed from its family (GPT-7): a window of 400,000 tokens; replies of up to 128,000 tokens; thinking on request; thinking not bound to what precedes it. "models" in bough.config.json can say otherwise.',
      },
    ]);
    expect((await client.createBranch(made.project.id, { fromRef: 'main' })).notices).toEqual([]);
    const other = { fromRef: 'main', provider: 'openrouter', model: 'meta-llama/llama-5-scout' };
    expect((await client.createBranch(made.project.id, other)).notices).toEqual([]);
    const known = await client.createProject({ provider: 'openai', model: 'gpt-5.1' });
    expect(known.notices).toEqual([]);
  });

  it('EN-61: a reply that is made again with another model tells it too', async () => {
    const { client } = server;
    const { project } = await client.createProject({ provider: 'openai', model: 'gpt-5.1' });
    await say(client, project.id, 'main', 'Hello');
    const again = await client.regenerate(project.id, { ref: 'main', llmModel: 'gpt-7-sol' });
    expect(again.notices.map(({ code, model }) => [code, model])).toEqual([['model_assumed', 'gpt-7-sol']]);
    expect((await client.regenerate(project.id, { ref: 'main' })).notices).toEqual([]);
  });

  it('EN-62: a provider or a model that does not exist is refused where the branch is made; nothing is stored', async () => {
    const { client } = server;
    const { total } = await client.listProjects();
    expect(await refusal(client.createProject({ provider: 'nobody' }))).toMatchObject({ code: 'unknown_provider' });
    const wrong = await refusal(client.createProject({ provider: 'openrouter', model: 'qwen/qwen-nxt-thinker' }));
    expect(wrong).toMatchObject({ status: 404, code: 'unknown_model' });
    expect(wrong.message).toContain(
      'OpenRouter has no model "qwen/qwen-nxt-thinker". Did you mean "qwen/qwen-next-thinker"',
    );
    expect((await client.listProjects()).total).toBe(total);

    expect(await refusal(client.setDefaults({ provider: 'openai', model: 'gpt-5.11' }))).toMatchObject({
      code: 'unknown_model',
    });

    const { project } = await client.createProject({ provider: 'openai', model: 'gpt-5.1' });
    await say(client, project.id, 'main', 'Hello');
    const branch = { fromRef: 'main', model: 'gpt-5.11' };
    expect(await refusal(client.createBranch(project.id, branch))).toMatchObject({ code: 'unknown_model' });
    expect(await refusal(client.regenerate(project.id, { ref: 'main', llmModel: 'gpt-5.11' }))).toMatchObject({
      code: 'unknown_model',
    });
    expect((await client.listBranches(project.id)).branches).toHaveLength(1);
  });

  it('EN-62: where the list could not be asked, the model is allowed, and that is told without a secret', async () => {
    const vendor = await startVendor({ status: 401, type: 'application/json', body: `{"error":"bad key ${SECRET}"}` });
    const providers = { groq: { baseUrl: `${vendor.url}/v1` } };
    const alone = await startTestServer({ GROQ_API_KEY: SECRET }, { providers });
    try {
      const { notices } = await alone.client.createProject({ provider: 'groq', model: 'new/one' });
      expect(notices.map(({ code }) => code)).toEqual(['list_unread', 'model_assumed']);
      expect(notices[0]?.problem).toMatch(/^127\.0\.0\.1:\d+ answered with 401\.$/);
      expect(JSON.stringify(notices) + alone.logged().join('')).not.toContain(SECRET);
      const keyless = await alone.client.createProject({ provider: 'xai', model: 'new/one' });
      expect(keyless.notices[0]).toMatchObject({
        code: 'list_unread',
        problem: expect.stringContaining('needs a key'),
      });
    } finally {
      await alone.dispose();
      await vendor.close();
    }
  });

  it('EN-62: a model that the configuration names is never refused, and what it states is not assumed', async () => {
    const model = { id: 'our/own', thinking: ['low', 'high'], bound: false, window: 64_000, maxOutput: 8_000 };
    const providers = { openrouter: { baseUrl: `${simulator.url}/openrouter/api/v1`, models: [model] } };
    const alone = await startTestServer({ OPENROUTER_API_KEY: SECRET }, { providers });
    try {
      const { project, notices } = await alone.client.createProject({ provider: 'openrouter', model: 'our/own' });
      expect(notices).toEqual([]);
      const { request, contextWindow } = await alone.client.context(project.id, { ref: 'main', message: 'Hi' });
      expect(contextWindow).toBe(64_000);
      expect(JSON.parse(request.body)).toMatchObject({ max_tokens: 8_000, reasoning: { effort: 'high' } });
    } finally {
      await alone.dispose();
    }
  });
});
